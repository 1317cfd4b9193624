import type { Conditions, Level } from './trial.ts';

/**
 * Name of the server that carries a trial of these conditions: the variant, and with `protocol.replicas` the number of the
 * replica behind it, such as `with-dlv-2`. Whatever belongs to one server is found by this name: targets, what a deploy made,
 * files.
 */
export function serverName({ variant, replica }: { variant: string; replica?: string | number | undefined }): string {
  return replica === undefined ? variant : `${variant}-${replica}`;
}

/** Every server of an experiment, by the conditions that all of its trials have in common. */
export function serversOf(variants: readonly string[], replicas: number): Conditions[] {
  return variants.flatMap((variant) =>
    replicasOf(replicas).map((replica): Conditions => (replica === undefined ? { variant } : { variant, replica })),
  );
}

/** The replicas as one more thing that is varied, by name; nothing where each variant has one server. */
export function replicaAxis(replicas: number): Record<string, readonly number[]> {
  const numbers = replicasOf(replicas).flatMap((replica) => replica ?? []);
  return numbers.length > 0 ? { replica: numbers } : {};
}

/**
 * Those records of servers that a level speaks of: all of them, or those of its replica where it names one.
 *
 * @param variant only those of this variant
 */
export function serversAt<Server extends { name: string; replica?: number | undefined }>(
  servers: readonly Server[],
  level: Level,
  variant?: string,
): Server[] {
  return servers.filter(
    ({ name, replica }) =>
      (variant === undefined || name === variant) &&
      (replica === undefined || level['replica'] === undefined || level['replica'] === replica),
  );
}

/** The variants of which there are records, in their order. */
export function variantNames(servers: readonly { name: string }[]): string[] {
  return [...new Set(servers.map(({ name }) => name))];
}

/** Numbers from 1; nothing but undefined where a variant has one server. A result of before there were replicas names no number. */
function replicasOf(replicas: number | undefined): (number | undefined)[] {
  return replicas !== undefined && replicas > 1
    ? Array.from({ length: replicas }, (_, index) => index + 1)
    : [undefined];
}
