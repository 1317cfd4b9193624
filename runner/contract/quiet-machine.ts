/** Whether other programs on the machine spoil a run that makes its servers there. */
export const quietMachineRules = ['preferred', 'awaited', 'required'] as const;
export type QuietMachine = (typeof quietMachineRules)[number];
