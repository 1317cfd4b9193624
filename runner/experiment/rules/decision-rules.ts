import { collectors } from '../../collect/registry.ts';
import type { Decision, Workload } from '../../contract/experiment/schema.ts';
import type { RuleProblem } from '../../contract/rule-problem.ts';
import { tools } from '../../workloads/registry.ts';
import type { Tool } from '../../workloads/tool.ts';

/** A problem if the declared metric would not be measured: another tool has it, the workload, or `collect` leaves it out. */
export function decisionProblems(
  decision: Decision | undefined,
  collect: readonly string[] | undefined,
  { tool, workload }: { tool: Tool; workload: Partial<Workload> },
): RuleProblem[] {
  if (!decision || !collect) return [];
  const path = ['decision', 'metric'];
  const measures = ({ metrics }: Tool): boolean => metrics.some(({ name }) => name === decision.metric);
  const other = measures(tool) ? undefined : tools.find(measures);
  if (other) return [{ path, message: `workload.tool ${other.name} measures it, ${tool.name} does not` }];
  const lack = tool.lacks?.(workload, decision.metric) ?? null;
  if (lack !== null) return [{ path, message: `workload.tool ${tool.name} does not measure it here: ${lack}` }];
  const sources = [...collectors, ...tool.collectors].filter(
    ({ gives = [], metrics }) =>
      gives.includes(decision.metric) || metrics.some(({ name }) => name === decision.metric),
  );
  const [first] = sources;
  if (!first?.optional || sources.some(({ name, optional }) => !optional || collect.includes(name))) return [];
  return [
    {
      path,
      message: `it is measured by the collector ${first.name}; add "${first.name}" to collect`,
    },
  ];
}
