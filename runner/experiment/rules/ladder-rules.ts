import type { Workload, WrittenExperiment, WrittenProtocol } from '../../contract/experiment/schema.ts';
import type { RuleProblem } from '../../contract/rule-problem.ts';
import type { Tool } from '../../workloads/tool.ts';
import { metricProblems } from './decision-rules.ts';

/** Problems of how levels are climbed. */
export function ladderProblems(
  ladder: WrittenExperiment['ladder'] | undefined,
  protocol: WrittenProtocol | undefined,
  {
    tool,
    workload,
    collect = [],
  }: { tool: Tool; workload: Partial<Workload>; collect?: readonly string[] | undefined },
): RuleProblem[] {
  if (!ladder) return [];
  const { order, reason, stopPastKneeAfter, target } = ladder;
  const axes = Object.entries(tool.axes(workload as Workload)).filter(([, values]) => values.length > 1);
  const asked =
    order === 'rising'
      ? 'order'
      : (Object.entries({ stopPastKneeAfter, target }).find(([, value]) => value)?.[0] ?? null);
  const unsorted = axes.find(([, values]) =>
    values.some((value, index) => index > 0 && value < (values[index - 1] ?? 0)),
  );
  return [
    ...(asked !== null && axes.length === 0
      ? [{ path: [asked], message: 'the workload has one level only; give a list, such as clients: [8, 16, 32]' }]
      : []),
    ...(target ? metricProblems(['target', 'metric'], target, collect, { tool, workload }) : []),
    ...(order === 'rising' && reason === undefined
      ? [
          {
            path: ['order'],
            message:
              'what changes within a block then looks like an effect of the level; say in reason why it must rise',
          },
        ]
      : []),
    ...(order === 'random' && reason !== undefined
      ? [{ path: ['reason'], message: 'random needs none; leave it out, or let order be rising' }]
      : []),
    ...(order === 'rising' && unsorted
      ? [{ path: ['order'], message: `${unsorted[0]} is ${unsorted[1].join(', ')}; list the values from the lowest` }]
      : []),
    ...(stopPastKneeAfter !== undefined && protocol && stopPastKneeAfter >= protocol.blocks
      ? [{ path: ['stopPastKneeAfter'], message: `there are ${protocol.blocks} blocks; expected fewer` }]
      : []),
    ...(stopPastKneeAfter !== undefined && protocol?.until === 'precision'
      ? [{ path: ['stopPastKneeAfter'], message: 'until: precision waits for every level; leave one of the two out' }]
      : []),
  ];
}
