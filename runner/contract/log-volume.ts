/** What says whether WAL has a volume of its own: a variant, what a deploy asks for, or what RDS reports. */
export interface MayHaveLogVolume {
  dedicatedLogVolume?: boolean | undefined;
}

/** Its name in experiment files, and in the records of a server. */
export const logVolumeKey = 'dedicatedLogVolume' satisfies keyof MayHaveLogVolume;

export function hasLogVolume(one: MayHaveLogVolume | undefined): boolean {
  return one?.[logVolumeKey] === true;
}

/** The same, with a log volume if the other has one. A crossover exchanges nothing else. */
export function withLogVolumeOf<One extends MayHaveLogVolume>(one: One, other: MayHaveLogVolume): One {
  return { ...one, [logVolumeKey]: hasLogVolume(other) };
}
