import { collectors } from '../../collect/registry.ts';
import type { Decision } from '../../contract/experiment/schema.ts';
import type { RuleProblem } from '../../contract/rule-problem.ts';
import type { Tool } from '../../workloads/tool.ts';

/** A problem if the declared metric would not be measured, because `collect` leaves out its collector. */
export function decisionProblems(
  decision: Decision | undefined,
  collect: readonly string[] | undefined,
  tool: Tool,
): RuleProblem[] {
  if (!decision || !collect) return [];
  const sources = [...collectors, ...tool.collectors].filter(
    ({ gives = [], metrics }) =>
      gives.includes(decision.metric) || metrics.some(({ name }) => name === decision.metric),
  );
  const [first] = sources;
  if (!first?.optional || sources.some(({ name, optional }) => !optional || collect.includes(name))) return [];
  return [
    {
      path: ['decision', 'metric'],
      message: `it is measured by the collector ${first.name}; add "${first.name}" to collect`,
    },
  ];
}
