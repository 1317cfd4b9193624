import type { WrittenExperiment } from '../../contract/experiment/schema.ts';
import type { RuleProblem } from '../../contract/rule-problem.ts';
import type { OwnSnapshot } from '../../workloads/tool.ts';
import type { PlaceDefinition } from '../../places/definition.ts';

/**
 * Problems of snapshots that variants are restored from.
 *
 * @param own the snapshot that the workload names; null for none
 */
export function restoreProblems(
  data: WrittenExperiment['data'] | undefined,
  place: PlaceDefinition | undefined,
  own: OwnSnapshot | null,
): RuleProblem[] {
  const snapshot = own?.snapshot ?? data?.snapshot;
  return [
    ...(data?.keep === true && snapshot !== undefined
      ? [
          {
            path: ['data', 'keep'],
            message: `what is restored from ${snapshot} is a snapshot already; expected either keep or snapshot`,
          },
        ]
      : []),
    ...(own && data?.snapshot !== undefined
      ? [
          {
            path: ['data', 'snapshot'],
            message: `the variants are restored from workload.load.snapshot, ${own.snapshot}; expected one of the two`,
          },
        ]
      : []),
    ...(own && place?.isDeployed === false
      ? [
          {
            path: ['workload', 'load', 'snapshot'],
            message:
              'only RDS can restore it; in profiles with local storage load the data from files: load: { dump: app.dump }, made by pg_dump --format=custom',
          },
        ]
      : []),
  ];
}
