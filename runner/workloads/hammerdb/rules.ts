import type { RuleProblem } from '../../contract/rule-problem.ts';
import { listedTwice } from '../lists.ts';
import type { ExperimentAround } from '../tool.ts';
import { type DeclaredHammerdb, listed } from './schema.ts';

/** HammerDB starts its users one after another, this far apart. */
export const secondsBetweenUsers = 0.5;

export function workloadProblems(workload: Partial<DeclaredHammerdb>): RuleProblem[] {
  const { warehouses, buildUsers, archive } = workload;
  return [
    ...listedTwice<DeclaredHammerdb>(workload, listed),
    ...(warehouses !== undefined && buildUsers !== undefined && buildUsers > warehouses
      ? [{ path: ['buildUsers'], message: `more than warehouses; expected at most ${warehouses}` }]
      : []),
    ...(archive !== undefined && !/\.(tar\.gz|tgz)$/.test(archive)
      ? [{ path: ['archive'], message: 'expected a release of HammerDB for Linux, which is called NAME.tar.gz' }]
      : []),
  ];
}

/** Problems of the workload together with the rest of the experiment. */
export function experimentProblems(
  workload: Partial<DeclaredHammerdb>,
  { warmUpSeconds, phaseSeconds, networkMode, deployed }: ExperimentAround,
): RuleProblem[] {
  const path = ['protocol', 'warmUpSeconds'];
  const most = Math.max(0, ...[workload.users ?? []].flat());
  const startSeconds = most * secondsBetweenUsers;
  return [
    ...(warmUpSeconds !== undefined && warmUpSeconds % 60 !== 0
      ? [{ path, message: 'HammerDB ramps up for whole minutes; expected 0 or a multiple of 60' }]
      : []),
    ...(phaseSeconds !== undefined && phaseSeconds > 0
      ? [{ path: ['protocol', 'phaseSeconds'], message: 'HammerDB ramps up for whole minutes; expected 0' }]
      : []),
    ...(warmUpSeconds !== undefined && warmUpSeconds > 0 && startSeconds > warmUpSeconds
      ? [
          {
            path,
            message: `HammerDB starts ${most.toLocaleString('en')} users in ${startSeconds} s; expected at least that, in whole minutes`,
          },
        ]
      : []),
    ...(deployed && networkMode === 'private' && workload.archive === undefined
      ? [
          {
            path: ['workload'],
            showValue: false,
            message:
              'names no archive, and with network.mode private the driver cannot fetch HammerDB; download the release for Linux from https://github.com/TPC-Council/HammerDB/releases and name it in workload.archive',
          },
        ]
      : []),
  ];
}
