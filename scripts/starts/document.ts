import { decidingMetric } from '../../runner/contract/experiment/schema.ts';
import * as z from 'zod';
import { estimatePaired } from '../../runner/analysis/estimate.ts';
import { intervalSchema, verdicts } from '../../runner/contract/comparison.ts';
import { UserError } from '../../runner/contract/errors.ts';
import { instantSchema } from '../../runner/contract/versioned-file.ts';
import type { Result } from '../../runner/contract/result.ts';
import { metricNamed } from '../../runner/metrics/catalogue.ts';

const comparisonSchema = z.object({
  metric: z.string(),
  baseline: z.string(),
  candidate: z.string(),
  conditions: z.record(z.string(), z.union([z.string(), z.number()])),
  change: z.number().nullable(),
  interval: intervalSchema.nullable(),
  verdict: z.enum(verdicts).nullable(),
  /** Both values of each pair that the estimate used, in base units: baseline, candidate. */
  blocks: z.array(z.tuple([z.number(), z.number()])),
  /** Number of further pairs that are unknown, if any: they widen the interval. */
  unknownPairs: z.int().optional(),
});

/**
 * docs/reference/starts/EXPERIMENT.json: starts of one experiment that the documents mention, with everything that their
 * intervals come from.
 */
export const startsSchema = z.object({
  kind: z.literal('pgduet-starts'),
  schemaVersion: z.literal(1),
  experiment: z.string(),
  profile: z.string(),
  place: z.string(),
  machine: z
    .object({ processor: z.string(), processors: z.int(), memoryBytes: z.number(), system: z.string() })
    .optional(),
  starts: z.array(
    z.object({
      startedAt: instantSchema,
      toolVersion: z.string(),
      seed: z.int(),
      /** By the variant's name. */
      serverVersions: z.record(z.string(), z.string().nullable()),
      /** By the declared metric. */
      comparisons: z.array(comparisonSchema),
    }),
  ),
});

export type Starts = z.output<typeof startsSchema>;
export type StartComparison = Starts['starts'][number]['comparisons'][number];

/**
 * The parts of several results of one experiment that are kept.
 *
 * @throws {UserError} if they are of several experiments, profiles or places, or if the intervals do not follow from
 *   the blocks
 */
export function startsOf(results: readonly Result[]): Starts {
  const [first] = results;
  if (!first) throw new UserError('npm run starts: name the folders of the results.');
  for (const key of ['experiment', 'profile', 'place'] as const) {
    const values = [...new Set(results.map((result) => headOf(result)[key]))];
    if (values.length > 1)
      throw new UserError(`These are not starts of one experiment: ${key} is ${values.join(' and ')}.`);
  }
  const starts: Starts = {
    kind: 'pgduet-starts',
    schemaVersion: 1,
    ...headOf(first),
    starts: results.map(startOf).sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1)),
  };
  const wrong = disagreements(starts);
  if (wrong.length > 0) throw new UserError(wrong.join('\n'));
  return starts;
}

function headOf({ experiment, place, machine }: Result): Omit<Starts, 'kind' | 'schemaVersion' | 'starts'> {
  const { processor, processors, memoryBytes, system } = machine ?? {};
  const known =
    processor !== undefined && processors !== undefined && memoryBytes !== undefined && system !== undefined;
  return {
    experiment: experiment.name,
    profile: experiment.profile,
    place: place.description,
    ...(known ? { machine: { processor, processors, memoryBytes, system } } : {}),
  };
}

function startOf({ startedAt, toolVersion, experiment, variants, comparisons }: Result): Starts['starts'][number] {
  return {
    startedAt,
    toolVersion,
    seed: experiment.seed,
    serverVersions: Object.fromEntries(variants.map(({ name, serverVersion }) => [name, serverVersion])),
    comparisons: comparisons
      .filter(({ metric }) => metric === decidingMetric(experiment.definition.decision))
      .map(({ metric, baseline, candidate, conditions, change, interval, verdict, pairs, unknownPairs }) => ({
        metric,
        baseline: baseline.variant,
        candidate: candidate.variant,
        conditions,
        change,
        interval,
        verdict,
        blocks: pairs.map((pair): [number, number] => [pair.baseline, pair.candidate]),
        ...(unknownPairs === undefined ? {} : { unknownPairs }),
      })),
  };
}

/** Says in words which changes and intervals do not follow from the blocks; empty if all do. */
export function disagreements({ experiment, starts }: Starts): string[] {
  return starts.flatMap(({ startedAt, comparisons }) =>
    comparisons.flatMap((comparison) => {
      const { change, interval, metric } = comparison;
      const pairs = comparison.blocks.map(([baseline, candidate]) => ({ baseline, candidate }));
      const again = estimatePaired(pairs, metricNamed(metric)?.compared ?? 'ratio', {
        level: interval?.level ?? null,
        unknown: Array.from({ length: comparison.unknownPairs ?? 0 }, () => ({})),
      });
      const agree =
        isNear(change, again.change) &&
        (!interval || (isEnd(interval.low, again.interval?.low) && isEnd(interval.high, again.interval?.high)));
      return agree
        ? []
        : [
            `${experiment}, start ${startedAt}, ${comparison.candidate}: its blocks lead to another change or interval.`,
          ];
    }),
  );
}

function isNear(one: number | null, other: number | null | undefined): boolean {
  if (one === null || other === null || other === undefined) return one === (other ?? null);
  return Math.abs(one - other) <= 1e-9 * (1 + Math.abs(one));
}

/** If only a later step of several comparisons finds a difference, its interval ends at zero. */
function isEnd(end: number, again: number | undefined): boolean {
  return end === 0 || isNear(end, again);
}
