import { settlingOf } from '../analysis/settling.ts';
import { doubtDefinitions } from '../analysis/validity/doubts.ts';
import type { Worth } from '../analysis/worth.ts';
import type { Comparison } from '../contract/comparison.ts';
import { type Report, reportHead } from '../contract/report.ts';
import { toolVersion } from '../contract/tool-version.ts';
import { metricRank } from '../metrics/catalogue.ts';
import { pairsIn } from './answer/answers.ts';
import { isOf } from './answer/claims.ts';
import { readsIn } from './first-screen/reads.ts';
import { worthIn } from './sections/costs.ts';
import { betterIn, chanceEach, lookedAt, worseIn } from './sections/worse.ts';
import { viewRobustness } from './sections/robustness.ts';
import type { Answer } from './answer/statement.ts';
import { metricWords } from './metric-words.ts';
import type { Reported } from './reported.ts';
import { repeatCommand, verifyCommand } from './sections/repeat.ts';

const withoutCheck: ReadonlySet<string> = new Set(Object.values(doubtDefinitions).map(({ id }) => id));

type ReportedAnswer = Report['answers'][number];

/** Makes report.json: the sentences of the report, and behind each its numbers, in base units and not rounded. */
export function reportOf(of: Reported): Report {
  const { result, kept } = of;
  const { experiment, startedAt, endedAt, complete, stoppedAfterBlock = null } = result;
  const { name, profile, seed } = experiment;
  const { verdict, headline, evidence, remains } = of.lead;
  const pairs = pairsIn(result.comparisons);
  const changed = changedIn(result);
  return {
    ...reportHead,
    toolVersion,
    question: experiment.question,
    run: {
      experiment: name,
      profile,
      seed,
      toolVersion: result.toolVersion,
      startedAt,
      endedAt,
      complete,
      stoppedAfterBlock,
    },
    verdict,
    headline,
    evidence,
    remains,
    practicalThreshold: experiment.definition.decision.practicalThreshold,
    // There is one answer for each pair of variants at each level, in this order.
    answers: of.answers.map((answer, index) => answerOf(answer, pairs[index] ?? [], { result, changed })),
    reads: readsIn(of).map(({ metric, before, after }) => ({ metric, baseline: before, candidate: after })),
    doubts: of.doubts.map(({ id, effect, sentence }) => ({
      id,
      couldChange: effect,
      ...(!withoutCheck.has(id) && { check: id }),
      sentence,
    })),
    repeat: { command: repeatCommand(result, kept), verify: verifyCommand(kept) },
    sha256: kept.hashes,
  };
}

/** @param own the comparisons of its two variants at its level @param of.changed metrics that changed with any of the variants */
function answerOf(
  answer: Answer,
  own: readonly Comparison[],
  { result, changed }: Pick<Reported, 'result'> & { changed: ReadonlySet<string> },
): ReportedAnswer {
  const { candidate, verdict, headline, evidence, of } = answer;
  // Without a verdict, nothing is claimed. A script must not take what was measured nevertheless for an answer.
  const claimed = verdict === null ? null : of;
  const [first] = own;
  const chance = chanceEach(result.comparisons);
  const worse = worseIn(own, chance);
  const worth = worthIn(result.comparisons, result).find(({ comparison }) => own.includes(comparison));
  const explained = claimed && result.explanations?.find((one) => isOf(one, claimed) && one.time.length > 0);
  const robustness = claimed && viewRobustness(result).find(({ comparison }) => comparison === claimed);
  return {
    candidate: first?.candidate.variant ?? candidate,
    conditions: first?.conditions ?? {},
    verdict,
    headline,
    evidence,
    baseline: first?.baseline.variant ?? null,
    metric: of?.metric ?? null,
    scope: of?.scope ?? null,
    change: claimed?.change ?? null,
    interval: claimed?.interval ?? null,
    pairs: of?.pairs.length ?? 0,
    withheld: of?.withheld ?? [],
    beside: of?.beside ?? null,
    figures: shownIn(own, changed).map((one) => figureOf(one, { isClaimed: claimed !== null, worse })),
    settle: of ? settlingOf(of, result.experiment.definition, result.trials) : [],
    gotWorse: claimed === null || lookedAt(own, chance).length === 0 ? null : worse.map(({ metric }) => metric),
    price: worth ? priceOf(worth, result.variants, claimed !== null) : null,
    time: explained?.time.map(({ kind, baseline, candidate: side }) => ({ kind, baseline, candidate: side })) ?? null,
    robustness: robustness?.rows.map(({ variation }) => variation) ?? null,
  };
}

/** Metrics that changed for the better or the worse with any of the variants, although nobody asked about them. */
function changedIn({ comparisons }: Reported['result']): Set<string> {
  const chance = chanceEach(comparisons);
  const found = pairsIn(comparisons).flatMap((own) => [...worseIn(own, chance), ...betterIn(own, chance)]);
  return new Set(found.map(({ metric }) => metric));
}

/** What decides first, then throughput and p99, and what changed; only what was measured. */
function shownIn(own: readonly Comparison[], changed: ReadonlySet<string>): Comparison[] {
  const named = own.filter(
    ({ primary, metric }) => primary || metric === 'tps' || metric === 'latency.p99' || changed.has(metric),
  );
  return named.toSorted((a, b) => Number(b.primary) - Number(a.primary) || metricRank(a.metric) - metricRank(b.metric));
}

function figureOf(
  comparison: Comparison,
  { isClaimed, worse }: { isClaimed: boolean; worse: readonly Comparison[] },
): ReportedAnswer['figures'][number] {
  const { metric, unit, better, primary, baseline, candidate, change, interval } = comparison;
  return {
    metric,
    label: metricWords(comparison).label,
    unit,
    better,
    role: primary ? 'decides' : worse.includes(comparison) ? 'got-worse' : 'describes',
    baseline: baseline.value,
    candidate: candidate.value,
    change: isClaimed ? change : null,
    interval: isClaimed ? interval : null,
  };
}

function priceOf(
  { comparison, cost, perDollar, tpsPer100 }: Worth,
  variants: Reported['result']['variants'],
  isClaimed: boolean,
): ReportedAnswer['price'] {
  const dollarsOf = (name: string) => variants.find((variant) => variant.name === name)?.cost?.dollarsPerMonth ?? null;
  return {
    dollarsPerMonth: {
      baseline: dollarsOf(comparison.baseline.variant),
      candidate: dollarsOf(comparison.candidate.variant),
    },
    change: cost,
    perDollar: isClaimed ? perDollar : null,
    tpsPer100Dollars: isClaimed ? tpsPer100 : null,
  };
}
