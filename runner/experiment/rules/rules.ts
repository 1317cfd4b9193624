import { isDeepStrictEqual } from 'node:util';
import type { RuleProblem } from '../file/problems.ts';
import { isMap, type Plain } from '../file/profiles.ts';
import type { z } from 'zod';
import { nearest } from '../file/nearest.ts';
import { type Collectable, type Contrast, type Decision, experimentSchema, type Protocol } from '../../contract/experiment/schema.ts';
import { type Variant, variantSchema } from '../../contract/experiment/variant.ts';
import { pgbenchSchema, type PgbenchWorkload } from '../../workloads/pgbench/schema.ts';
import { variantProblems, variantWarnings } from './variant-rules.ts';
import { workloadProblems } from '../../workloads/pgbench/rules.ts';

export interface RuleFindings {
  problems: RuleProblem[];
  warnings: string[];
}

/**
 * Rules that concern two values at once. They run on the values that are right by themselves, so that a mistake in one
 * place does not hide another.
 */
export function checkRules(merged: Plain): RuleFindings {
  if (!isMap(merged)) return { problems: [], warnings: [] };
  const { protocol, decision, contrasts, collect } = experimentSchema.shape;
  const rawVariants = isMap(merged['variants']) ? merged['variants'] : {};
  const variants = Object.entries(rawVariants).map(
    ([name, raw]) => [name, wellFormed(variantSchema.shape, raw)] as const,
  );
  const workload = wellFormed(pgbenchSchema.shape, merged['workload']);
  return {
    problems: [
      ...variants.flatMap(([name, variant]) => within(['variants', name], variantProblems(variant))),
      ...variantProblem(['baseline'], merged['baseline'], Object.keys(rawVariants)),
      ...contrastProblems(contrasts.safeParse(merged['contrasts']).data ?? [], Object.keys(rawVariants)),
      ...within(['workload'], workloadProblems(workload)),
      ...within(['protocol'], protocolProblems(protocol.safeParse(merged['protocol']).data)),
      ...crossoverProblems(protocol.safeParse(merged['protocol']).data, variants),
      ...decisionProblems(decision.safeParse(merged['decision']).data, collect.safeParse(merged['collect']).data),
    ],
    warnings: [
      ...variantWarnings(Object.fromEntries(variants)),
      ...protocolWarnings(protocol.safeParse(merged['protocol']).data),
      ...rateWarnings(decision.safeParse(merged['decision']).data, workload),
    ],
  };
}

/** Those values of a map that are right by themselves, with their defaults. */
function wellFormed<Shape extends z.ZodRawShape>(
  shape: Shape,
  raw: Plain | undefined,
): Partial<z.output<z.ZodObject<Shape>>> {
  const values = isMap(raw) ? raw : {};
  const entries = Object.entries(shape).flatMap(([key, schema]) => {
    const parsed = (schema as z.ZodType).safeParse(values[key]);
    return parsed.success ? [[key, parsed.data]] : [];
  });
  return Object.fromEntries(entries) as Partial<z.output<z.ZodObject<Shape>>>;
}

function within(path: string[], problems: readonly RuleProblem[]): RuleProblem[] {
  return problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }));
}

/** A name of a variant that has to be one. */
function variantProblem(path: string[], name: Plain | undefined, variants: readonly string[]): RuleProblem[] {
  if (typeof name !== 'string' || variants.length === 0 || variants.includes(name)) return [];
  const suggestion = nearest(name, variants, (near) => `; did you mean "${near}"?`);
  return [{ path, message: `no such variant; expected one of ${variants.join(', ')}${suggestion}` }];
}

function contrastProblems(contrasts: readonly Contrast[], variants: readonly string[]): RuleProblem[] {
  return contrasts.flatMap(({ candidate, baseline }, index) => [
    ...variantProblem(['contrasts', String(index), 'candidate'], candidate, variants),
    ...variantProblem(['contrasts', String(index), 'baseline'], baseline, variants),
    ...(candidate === baseline
      ? [{ path: ['contrasts', String(index)], message: 'a variant compared with itself; expected two variants' }]
      : []),
  ]);
}

function decisionProblems(decision: Decision | undefined, collect: Collectable[] | undefined): RuleProblem[] {
  if (!decision?.metric.startsWith('latency.p') || collect?.includes('transaction-log') !== false) return [];
  return [
    {
      path: ['decision', 'metric'],
      message: 'percentiles come from the transaction log; add "transaction-log" to collect',
    },
  ];
}

/** Of the looks of runner/statistics/sequential.ts. */
const firstLookBlocks = 8;

function protocolProblems(protocol: Protocol | undefined): RuleProblem[] {
  if (protocol?.until === 'precision' && protocol.blocks < firstLookBlocks) {
    return [
      {
        path: ['blocks'],
        message: `until: precision looks first after ${firstLookBlocks} blocks; expected at least as many`,
      },
    ];
  }
  if (protocol?.until === 'blocks' && protocol.precision !== undefined) {
    return [{ path: ['precision'], message: 'all blocks are measured; it goes with until: precision' }];
  }
  return [];
}

/** What crosses over is the log volume, between two instances that are otherwise the same. */
function crossoverProblems(
  protocol: Protocol | undefined,
  variants: readonly (readonly [string, Partial<Variant>])[],
): RuleProblem[] {
  if (protocol?.crossover !== true) return [];
  const problem = (message: string): RuleProblem => ({ path: ['protocol', 'crossover'], message });
  const [first, second] = variants.map(([, variant]) => ({ ...variant, description: undefined }));
  const without = (variant: Partial<Variant> | undefined) => ({ ...variant, dedicatedLogVolume: undefined });
  const differOnlyInLogVolume =
    variants.length === 2 &&
    first?.dedicatedLogVolume !== second?.dedicatedLogVolume &&
    isDeepStrictEqual(without(first), without(second));
  return [
    ...(differOnlyInLogVolume ? [] : [problem('expected two variants that differ in dedicatedLogVolume only')]),
    ...(variants.some(([, { storage }]) => storage?.type === 'local')
      ? [problem('volumes of this machine cannot be crossed over; leave it out in profiles with local storage')]
      : []),
    ...(protocol.blocks % 2 === 0
      ? []
      : [{ path: ['protocol', 'blocks'], message: 'a crossover halves them; expected an even number' }]),
    ...(protocol.until === 'precision' ? [problem('cannot stop before the second half; leave out until')] : []),
  ];
}

function protocolWarnings(protocol: Protocol | undefined): string[] {
  if (protocol?.crossover === true && protocol.blocks < 12) {
    return [
      `protocol.blocks is ${protocol.blocks}: a crossover takes two of them together, so that with fewer than twelve the result is descriptive and claims nothing.`,
    ];
  }
  if (protocol === undefined || protocol.blocks >= 6) return [];
  return [
    `protocol.blocks is ${protocol.blocks}: with fewer than six blocks the result is descriptive and claims nothing.`,
  ];
}

function rateWarnings(decision: Decision | undefined, workload: Partial<PgbenchWorkload>): string[] {
  if (decision?.metric !== 'tps' || workload.rate === undefined) return [];
  return [
    `decision.metric is tps, but workload.rate offers ${workload.rate} transactions per second: every variant that keeps up shows that rate. Declare a latency metric.`,
  ];
}
