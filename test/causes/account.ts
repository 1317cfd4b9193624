import type { Explanation } from '../../runner/contract/explanation.ts';
import type { Result } from '../../runner/contract/result.ts';

/** What a result says of the cause of its difference, in lines for people to judge. */
export function accountOf(result: Result): string {
  const primary = result.comparisons.find((comparison) => comparison.primary);
  const { verdict = null, withheld = [], change = null } = primary ?? {};
  return [
    `verdict: ${verdict ?? 'none'}, change: ${percent(change)}`,
    ...withheld.map(({ message }) => `withheld: ${message}`),
    ...(result.explanations ?? []).flatMap((one) => [...namesIn(one), ...timesIn(one, result)]),
  ]
    .map((line) => `  ${line}\n`)
    .join('');
}

function namesIn({ mechanisms, time }: Explanation): string[] {
  if (mechanisms.length === 0) return ['named: nothing'];
  return mechanisms.flatMap(({ name, title, kind, role, links }) => [
    `${role === 'cause' ? 'cause' : 'place, no cause is known'}: ${name} (${title}), ${percent(time.find((one) => one.kind === kind)?.share ?? null)} of the difference`,
    ...links.map(
      ({ claim, metric, unit, baseline, candidate, standing }) =>
        `  link ${standing}: ${claim}: ${metric} ${baseline ?? '?'} to ${candidate ?? '?'} ${unit}`,
    ),
  ]);
}

/** The kinds of time, and below their sum what it must be: clients / TPS, a mean over the pairs unweighted. */
function timesIn({ time, baseline, candidate }: Explanation, { comparisons, experiment }: Result): string[] {
  if (time.length === 0) return ['no times'];
  const clients = Number(experiment.definition.workload['clients']);
  const pairs = comparisons.find((one) => one.metric === 'tps' && one.candidate.variant === candidate)?.pairs ?? [];
  const turns = {
    baseline: mean(pairs.map((one) => clients / one.baseline)),
    candidate: mean(pairs.map((one) => clients / one.candidate)),
  };
  const sums = { baseline: sum(time.map((one) => one.baseline)), candidate: sum(time.map((one) => one.candidate)) };
  return [
    row(baseline, candidate, 'ms for each transaction'),
    ...time.map((one) => row(ms(one.baseline), ms(one.candidate), `${percent(one.share)}  ${one.kind}: ${one.title}`)),
    row(ms(sums.baseline), ms(sums.candidate), 'sum'),
    row(ms(turns.baseline), ms(turns.candidate), 'clients / TPS'),
  ];
}

const row = (baseline: string, candidate: string, what: string): string =>
  `${baseline.padStart(16)} ${candidate.padStart(16)}  ${what}`;
const ms = (seconds: number): string => (seconds * 1000).toFixed(3);
const percent = (share: number | null): string => (share === null ? '?' : `${(share * 100).toFixed(0)}%`);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
