import { isDeepStrictEqual } from 'node:util';
import { crossoversOf, periodsOf } from '../../contract/plan.ts';
import type { WrittenExperiment, WrittenProtocol } from '../../contract/experiment/schema.ts';
import type { Variant } from '../../contract/experiment/variant.ts';
import { hasLogVolume, logVolumeKey } from '../../contract/log-volume.ts';
import { problemUnless, type RuleProblem } from '../../contract/check.ts';
import { generalResetSteps } from '../../postgres/reset-steps.ts';
import { minPairs } from '../../statistics/exact-interval.ts';
import { firstEvenLook } from '../../statistics/sequential.ts';
import type { OwnSnapshot } from '../../workloads/extras.ts';
import type { FullTool } from '../../workloads/registry.ts';
import type { PlaceDefinition } from '../../places/definition.ts';
import type { NamedVariant } from './variant-rules.ts';

/** Without `until`, what stands there is none of its words: that is problem enough. */
export function protocolProblems({
  until,
  blocks = Infinity,
  precision,
  stopForFutility,
}: Partial<WrittenProtocol>): RuleProblem[] {
  if (until === undefined) return [];
  const first = until === 'verdict' ? minPairs : firstEvenLook;
  return [
    ...problemUnless(
      'first-look',
      until === 'blocks' || blocks >= first,
      ['blocks'],
      `with until: ${until}, the first look comes after ${first} blocks; expected at least that many`,
    ),
    ...problemUnless(
      'precision-until',
      until === 'precision' || precision === undefined,
      ['precision'],
      `precision requires until: precision; found until: ${until}`,
    ),
    ...problemUnless(
      'futility-until',
      until === 'verdict' || stopForFutility !== true,
      ['stopForFutility'],
      `stopForFutility requires until: verdict; found until: ${until}`,
    ),
  ];
}

/** Problems of reset steps that this tool does not have. */
export function resetProblems({ reset = [] }: Partial<WrittenProtocol>, tool: FullTool): RuleProblem[] {
  const allowed = [...generalResetSteps, ...Object.keys(tool.resetSteps)];
  const message = `not a reset step of ${tool.name}; expected one of ${allowed.join(', ')}`;
  return reset.flatMap((step, index) =>
    allowed.includes(step) ? [] : [{ rule: 'reset-step', path: ['reset', index], message, allowed }],
  );
}

/** Problems of a crossover, which exchanges the log volume between two otherwise identical instances. */
export function crossoverProblems(
  { crossover = false, blocks = 0, until = 'blocks' }: Partial<WrittenProtocol>,
  variants: readonly NamedVariant[],
  place: PlaceDefinition | undefined,
): RuleProblem[] {
  if (crossover === false) return [];
  const periods = periodsOf(crossoversOf({ crossover })).length;
  const path = ['protocol', 'crossover'];
  const [first, second] = variants.map(([, variant]) => ({ ...variant, description: undefined }));
  const without = (variant: Partial<Variant> | undefined) => ({ ...variant, [logVolumeKey]: undefined });
  const differOnlyInLogVolume =
    variants.length === 2 &&
    hasLogVolume(first) !== hasLogVolume(second) &&
    isDeepStrictEqual(without(first), without(second));
  return [
    ...problemUnless(
      'crossover-variants',
      differOnlyInLogVolume,
      path,
      `expected two variants that differ only in ${logVolumeKey}`,
    ),
    ...problemUnless(
      'crossover-place',
      place?.isDeployed !== false,
      path,
      'local volumes cannot be exchanged; remove crossover from profiles with local storage',
    ),
    ...problemUnless(
      'crossover-blocks',
      blocks % periods === 0,
      ['protocol', 'blocks'],
      `every crossover period needs the same number of blocks; expected a multiple of ${periods}`,
    ),
    ...problemUnless(
      'crossover-until',
      until === 'blocks',
      path,
      'a crossover cannot stop before its last exchange; remove until',
    ),
  ];
}

/** Replicas need hosts of their own. */
export function replicaProblems(
  { replicas = 1, crossover = false }: Partial<WrittenProtocol>,
  place: PlaceDefinition | undefined,
): RuleProblem[] {
  if (replicas === 1) return [];
  const path = ['protocol', 'replicas'];
  return [
    ...problemUnless(
      'replica-place',
      place?.sharesMachine !== true,
      path,
      'local servers share the same disks, so replicas add nothing; expected 1 with local storage',
    ),
    ...problemUnless(
      'replica-crossover',
      crossover === false,
      path,
      'a crossover exchanges the log volumes of two instances; expected 1, or no crossover',
    ),
  ];
}

/**
 * Problems of snapshots that variants are restored from, or that are made of their data.
 *
 * @param own the snapshot that the workload names; null for none
 */
export function restoreProblems(
  data: WrittenExperiment['data'] | undefined,
  place: PlaceDefinition | undefined,
  own: OwnSnapshot | null,
  variants: readonly NamedVariant[],
): RuleProblem[] {
  const snapshot = own?.snapshot ?? data?.snapshot;
  const shareData = place?.isDeployed === true && (data?.snapshot !== undefined || data?.keep === true);
  return [
    ...variants.flatMap(([name, { prepare }]) =>
      problemUnless(
        'prepare-restored',
        prepare === undefined || !shareData,
        ['variants', name, 'prepare'],
        'all variants that are restored from a snapshot of pgduet have the same data; omit either this, or data.keep and data.snapshot',
        'wrong-key',
      ),
    ),
    ...problemUnless(
      'keep-restored',
      data?.keep !== true || snapshot === undefined,
      ['data', 'keep'],
      `the data comes from snapshot ${snapshot}, so it already has one; remove keep, or load the data`,
    ),
    ...problemUnless(
      'two-snapshots',
      own === null || data?.snapshot === undefined,
      ['data', 'snapshot'],
      `workload.load.snapshot already restores the variants from ${own?.snapshot}; remove one of the two`,
    ),
    ...problemUnless(
      'snapshot-place',
      own === null || place?.isDeployed !== false,
      ['workload', 'load', 'snapshot'],
      'only RDS can restore a snapshot; in profiles with local storage, load the data from files: load: { dump: app.dump }, made by pg_dump --format=custom',
    ),
  ];
}
