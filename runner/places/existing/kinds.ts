/** Kinds of the place in results: with no server on the machine of the load, and with at least one. */
export const existingKinds = { elsewhere: 'existing', here: 'existing-here' } as const;
