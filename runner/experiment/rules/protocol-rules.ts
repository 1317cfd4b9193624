import { isDeepStrictEqual } from 'node:util';
import { crossoversOf, periodsOf } from '../../contract/plan.ts';
import type { WrittenExperiment, WrittenProtocol } from '../../contract/experiment/schema.ts';
import type { Variant } from '../../contract/experiment/variant.ts';
import type { RuleProblem } from '../../contract/check.ts';
import { generalResetSteps } from '../../postgres/reset-steps.ts';
import { minPairs } from '../../statistics/exact-interval.ts';
import { firstEvenLook } from '../../statistics/sequential.ts';
import type { OwnSnapshot } from '../../workloads/extras.ts';
import type { FullTool } from '../../workloads/registry.ts';
import type { PlaceDefinition } from '../../places/definition.ts';

export function protocolProblems({
  until,
  blocks,
  precision,
  stopForFutility,
}: Partial<WrittenProtocol>): RuleProblem[] {
  const first = until === 'verdict' ? minPairs : firstEvenLook;
  if (until !== undefined && until !== 'blocks' && blocks !== undefined && blocks < first) {
    return [
      {
        path: ['blocks'],
        message: `until: ${until} first looks after ${first} blocks; expected at least that many`,
      },
    ];
  }
  if (until !== undefined && until !== 'precision' && precision !== undefined) {
    return [{ path: ['precision'], message: `precision goes only with until: precision; this has until: ${until}` }];
  }
  if (until !== undefined && until !== 'verdict' && stopForFutility === true) {
    const message = `stopForFutility goes only with until: verdict; this has until: ${until}`;
    return [{ path: ['stopForFutility'], message }];
  }
  return [];
}

/** Problems of reset steps that this tool does not have. */
export function resetProblems(protocol: Partial<WrittenProtocol>, tool: FullTool): RuleProblem[] {
  const known = [...generalResetSteps, ...Object.keys(tool.resetSteps)];
  return (protocol.reset ?? []).flatMap((step, index) =>
    known.includes(step)
      ? []
      : [
          {
            path: ['reset', index],
            message: `not a reset step of ${tool.name}; expected one of ${known.join(', ')}`,
            allowed: known,
          },
        ],
  );
}

/** Problems of a crossover, which exchanges the log volume between two otherwise identical instances. */
export function crossoverProblems(
  protocol: Partial<WrittenProtocol>,
  variants: readonly (readonly [string, Partial<Variant>])[],
  place: PlaceDefinition | undefined,
): RuleProblem[] {
  const { crossover, blocks } = protocol;
  if (crossover === undefined || crossover === false) return [];
  const periods = periodsOf(crossoversOf({ crossover })).length;
  const problem = (message: string): RuleProblem => ({ path: ['protocol', 'crossover'], message });
  const [first, second] = variants.map(([, variant]) => ({ ...variant, description: undefined }));
  const without = (variant: Partial<Variant> | undefined) => ({ ...variant, dedicatedLogVolume: undefined });
  const differOnlyInLogVolume =
    variants.length === 2 &&
    first?.dedicatedLogVolume !== second?.dedicatedLogVolume &&
    isDeepStrictEqual(without(first), without(second));
  return [
    ...(differOnlyInLogVolume ? [] : [problem('expected two variants that differ only in dedicatedLogVolume')]),
    ...(place?.isDeployed === false
      ? [problem('volumes of this machine cannot be exchanged; leave out crossover in profiles with local storage')]
      : []),
    ...(blocks === undefined || blocks % periods === 0
      ? []
      : [
          {
            path: ['protocol', 'blocks'],
            message: `each exchange of the crossover needs as many blocks before it as after it; expected a multiple of ${periods}`,
          },
        ]),
    ...(protocol.until !== undefined && protocol.until !== 'blocks'
      ? [problem('a crossover cannot stop before its last exchange; leave out until')]
      : []),
  ];
}

/** Replicas need hosts of their own. */
export function replicaProblems(protocol: Partial<WrittenProtocol>, place: PlaceDefinition | undefined): RuleProblem[] {
  if (protocol.replicas === undefined || protocol.replicas === 1) return [];
  const problem = (message: string): RuleProblem => ({ path: ['protocol', 'replicas'], message });
  return [
    ...(place?.sharesMachine
      ? [
          problem(
            'all servers of this machine share its disks, so several show no more than one; expected 1 with local storage',
          ),
        ]
      : []),
    ...(protocol.crossover
      ? [problem('a crossover exchanges the log volumes of two instances; expected 1, or no crossover')]
      : []),
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
  variants: readonly (readonly [string, Partial<Variant>])[],
): RuleProblem[] {
  const snapshot = own?.snapshot ?? data?.snapshot;
  return [
    ...(place?.isDeployed === true && (data?.snapshot !== undefined || data?.keep === true)
      ? variants.flatMap(([name, { prepare }]) =>
          prepare === undefined
            ? []
            : [
                {
                  path: ['variants', name, 'prepare'],
                  code: 'wrong-key' as const,
                  message:
                    'all variants that are restored from a snapshot of pgduet hold the same; leave out either this, or data.keep and data.snapshot',
                },
              ],
        )
      : []),
    ...(data?.keep === true && snapshot !== undefined
      ? [
          {
            path: ['data', 'keep'],
            message: `the data is restored from ${snapshot}, so a snapshot of it exists already; leave out keep, or load the data`,
          },
        ]
      : []),
    ...(own && data?.snapshot !== undefined
      ? [
          {
            path: ['data', 'snapshot'],
            message: `workload.load.snapshot already restores the variants from ${own.snapshot}; leave out one of the two`,
          },
        ]
      : []),
    ...(own && place?.isDeployed === false
      ? [
          {
            path: ['workload', 'load', 'snapshot'],
            message:
              'only RDS can restore a snapshot; in profiles with local storage, load the data from files: load: { dump: app.dump }, made by pg_dump --format=custom',
          },
        ]
      : []),
  ];
}
