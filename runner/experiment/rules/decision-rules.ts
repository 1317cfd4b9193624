import { collectors } from '../../collect/registry.ts';
import {
  decidingMetric,
  type Decision,
  type Workload,
  type WrittenExperiment,
  type WrittenProtocol,
} from '../../contract/experiment/schema.ts';
import { scriptMetric } from '../../contract/metric.ts';
import { problemUnless, type RuleProblem } from '../../contract/check.ts';
import { declarableMetrics, metricNamed } from '../../metrics/catalogue.ts';
import type { NamedVariant } from './variant-rules.ts';
import { workloadOf } from '../../workloads/of-variants.ts';
import { type FullTool, tools } from '../../workloads/registry.ts';

interface Deciding {
  tool: FullTool;
  workload: Partial<Workload>;
  variants: readonly NamedVariant[];
  /** Whether the file says `practicalThreshold` itself. */
  hasThreshold: boolean;
}

/** Problems of the declared metric: it would not be measured, its script does not exist, or no threshold fits it. */
export function decisionProblems(
  { metric, script }: Partial<Decision>,
  collect: readonly string[] | undefined,
  deciding: Deciding,
): RuleProblem[] {
  if (metric === undefined || !collect) return [];
  const decision = { metric, script };
  const byScript = scriptProblems(decision, deciding);
  if (byScript.length > 0) return byScript;
  return [
    ...metricProblems(['decision', 'metric'], decision, collect, deciding),
    ...thresholdProblems(decision, deciding),
  ];
}

/**
 * Problems of a metric that decides something: this tool does not measure it at all or not with this load, or its
 * source is not in `collect`.
 */
function metricProblems(
  path: string[],
  { metric, script }: Pick<Decision, 'metric' | 'script'>,
  collect: readonly string[],
  { tool, workload }: Pick<Deciding, 'tool' | 'workload'>,
): RuleProblem[] {
  const measures = ({ metrics }: FullTool): boolean => metrics.some(({ name }) => name === metric);
  const other = measures(tool) ? undefined : tools.find(measures);
  if (other)
    return [
      { rule: 'metric-tool', path, message: `workload.tool ${other.name} measures it, but ${tool.name} does not` },
    ];
  const lack = tool.whyUnmeasured(workload, metric, script);
  if (lack !== null)
    return [{ rule: 'metric-workload', path, message: `workload.tool ${tool.name} does not measure it here: ${lack}` }];
  const asGiven = script === undefined ? metric : scriptMetric(metric, '<script>');
  const sources = [...collectors, ...tool.collectors].filter(
    ({ alsoMeasures = [], metrics }) => alsoMeasures.includes(asGiven) || metrics.some(({ name }) => name === asGiven),
  );
  const [first] = sources;
  return problemUnless(
    'metric-collected',
    !first?.optional || sources.some(({ name, optional }) => !optional || collect.includes(name)),
    path,
    `the collector ${first?.name} measures it; add "${first?.name}" to collect`,
  );
}

function scriptProblems(
  { metric, script }: Pick<Decision, 'metric' | 'script'>,
  { tool, workload, variants }: Deciding,
): RuleProblem[] {
  if (script === undefined) return [];
  const path = ['decision', 'script'];
  const own = Object.fromEntries(variants);
  const each = variants.map(([name]) => tool.scripts(workloadOf({ workload, variants: own }, name)));
  const [first = [], ...others] = each;
  // Only what every variant runs can be compared.
  const scripts = first.filter((one) => others.every((names) => names.includes(one)));
  if (scripts.length === 0)
    return [{ rule: 'one-script', path, message: 'the workload has only one script; remove this key' }];
  if (!scripts.includes(script)) {
    const message = `not a script of this workload; expected one of ${scripts.join(', ')}`;
    return [{ rule: 'deciding-script', path, message, allowed: scripts }];
  }
  if (metricNamed(scriptMetric(metric, script))?.declarable) return [];
  const known = declarableMetrics.filter((name) => metricNamed(scriptMetric(name, script))?.declarable);
  const message = `not measured for each script; expected one of ${known.join(', ')}, or remove script`;
  return [{ rule: 'script-metric', path: ['decision', 'metric'], message }];
}

/** A difference of shares is in percentage points: the usual threshold of ratios would call 99.9 and 96% the same. */
function thresholdProblems(decision: Pick<Decision, 'metric' | 'script'>, { hasThreshold }: Deciding): RuleProblem[] {
  return problemUnless(
    'threshold-of-difference',
    hasThreshold || metricNamed(decidingMetric(decision))?.compared !== 'difference',
    ['decision', 'practicalThreshold'],
    `missing; ${decision.metric} is compared by a difference, so state the smallest one that matters: 0.001 is a tenth of a percentage point`,
    'missing',
  );
}

/** Problems of the key `ladder`. */
export function ladderProblems(
  { order, reason, stopPastKneeAfter, target }: Partial<WrittenExperiment['ladder']>,
  { blocks = Infinity, until = 'blocks' }: Partial<WrittenProtocol>,
  {
    tool,
    workload,
    hasAllLists,
    collect = [],
  }: {
    tool: FullTool;
    workload: Partial<Workload>;
    /** Whether every list of the workload is valid: one that is not may have several levels. */
    hasAllLists: boolean;
    collect?: readonly string[] | undefined;
  },
): RuleProblem[] {
  const axes = Object.entries(tool.axes(workload as Workload)).filter(([, values]) => values.length > 1);
  const isRising = order === 'rising';
  const asked = Object.entries({ order: isRising, stopPastKneeAfter, target }).find(([, value]) => value)?.[0];
  const [axis, values] = axes.find(([, all]) => all.some((value, at) => at > 0 && value < (all[at - 1] ?? 0))) ?? [];
  const stop = ['stopPastKneeAfter'];
  return [
    ...problemUnless(
      'one-level',
      asked === undefined || !hasAllLists || axes.length > 0,
      [asked ?? ''],
      'the workload has only one load level; use a list, such as clients: [8, 16, 32]',
    ),
    ...(target ? metricProblems(['target', 'metric'], target, collect, { tool, workload }) : []),
    ...problemUnless(
      'rising-reason',
      !isRising || reason !== undefined,
      ['order'],
      'drift within a block then looks like an effect of the load level; in reason, explain why levels must rise',
    ),
    ...problemUnless(
      'random-reason',
      order !== 'random' || reason === undefined,
      ['reason'],
      'order: random needs no reason; remove it, or set order to rising',
    ),
    ...problemUnless(
      'rising-order',
      !isRising || !values,
      ['order'],
      `${axis} is ${values?.join(', ')}; list the values from lowest to highest`,
    ),
    ...(stopPastKneeAfter === undefined
      ? []
      : [
          ...problemUnless('knee-blocks', stopPastKneeAfter < blocks, stop, `expected fewer than the ${blocks} blocks`),
          ...problemUnless(
            'knee-until',
            until === 'blocks',
            stop,
            `until: ${until} waits for every level; remove one of the two`,
          ),
        ]),
  ];
}
