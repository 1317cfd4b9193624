import * as z from 'zod';
import type { RuleProblem } from '../../contract/check.ts';
import type { Workload } from '../../contract/experiment/schema.ts';
import type { FullTool } from '../../workloads/registry.ts';
import type { NamedVariant } from './variant-rules.ts';

/** Problems of scripts that variants have in place of those of the workload: what those would have, too. */
export function scriptsOfVariantsProblems(
  variants: readonly NamedVariant[],
  tool: FullTool,
  workload: Partial<Workload>,
): RuleProblem[] {
  const key = 'scripts';
  return variants.flatMap(([name, { scripts }]): RuleProblem[] => {
    if (scripts === undefined) return [];
    const path = ['variants', name, key];
    const schema: unknown = tool.schema.shape[key];
    if (!(schema instanceof z.ZodType)) {
      const message = `the tool ${tool.name} has its own scripts; omit this`;
      return [{ rule: 'script-by-variant', path, message, code: 'wrong-key' }];
    }
    const parsed = schema.safeParse(scripts);
    if (!parsed.success) {
      const message = tool.refusedKeys['builtin'] ?? `not scripts of ${tool.name}`;
      return [{ rule: 'script-by-variant', path, message, code: 'wrong-part' }];
    }
    return tool
      .problems({ ...workload, scripts })
      .filter((problem) => problem.path[0] === key)
      .map((problem) => ({ ...problem, path: ['variants', name, ...problem.path] }));
  });
}
