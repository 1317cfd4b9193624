import { mechanisms } from '../../../runner/analysis/explanation/mechanisms.ts';
import type { Distribution } from '../../../runner/contract/distribution.ts';
import type { ExplainedTime, Explanation } from '../../../runner/contract/explanation.ts';
import { timeKinds } from '../../../runner/metrics/transaction-time.ts';

const level = 0.96875;
const interval = { low: -0.0103, high: -0.0088, level };

/** @param values of baseline and candidate */
export function explainedTime(kind: string, [baseline, candidate]: [number, number], share: number): ExplainedTime {
  const title = timeKinds.find((known) => known.kind === kind)?.title ?? `waits for ${kind}`;
  return { kind, title, baseline, candidate, change: candidate - baseline, interval, share };
}

const link: Explanation['mechanisms'][number]['links'][number] = {
  metric: 'wal.meanSyncTime',
  unit: 's',
  claim: 'each WAL flush takes longer',
  changedBy: 'ratio',
  baseline: 0.004,
  candidate: 0.002,
  change: -0.5,
  interval: { low: -0.55, high: -0.45, level },
  agreeing: 6,
  pairs: 6,
  standing: 'holds',
};

const mechanism: Explanation['mechanisms'][number] = {
  name: 'slow-flush',
  title: 'Each flush takes longer',
  standing: 'observed',
  role: 'cause',
  size: 0.0105,
  kind: 'flush',
  links: [link],
  sources: ['https://example.org/wal'],
};

/** The baseline takes 20 ms for a transaction, the candidate 10 ms. */
export const explanation: Explanation = {
  baseline: 'one-volume',
  candidate: 'two-volumes',
  conditions: { clients: 16 },
  slower: 'one-volume',
  pairs: 6,
  time: [
    explainedTime('flush', [0.0163, 0.0067], 0.96),
    explainedTime('cpu', [0.0032, 0.0021], 0.11),
    explainedTime('other', [0.0005, 0.0012], -0.07),
  ],
  mechanisms: [mechanism],
};

const changed = (some: Partial<Explanation>): Explanation => ({ ...explanation, ...some });
const unsure = { low: -0.01, high: 0.001, level };
const halves = [
  explainedTime('flush', [0.012, 0.002], 0.5),
  { ...explainedTime('cpu', [0.011, 0.001], 0.5), interval: unsure },
];
const client = explainedTime('client', [0.012, 0.004], 0.8);

/** What the paragraph on where the time goes is made from. */
export const explained: Record<string, Explanation> = {
  'the baseline is slower': explanation,
  'the candidate is slower': changed({
    slower: 'two-volumes',
    time: explanation.time.map(({ baseline, candidate, change, ...one }) => ({
      ...one,
      baseline: candidate,
      candidate: baseline,
      change: -change,
      interval: { low: 0.0088, high: 0.0103, level },
    })),
  }),
  'the slower side has the better verdict': changed({ opposesVerdict: true }),
  'a setting causes it': changed({
    mechanisms: [
      {
        ...mechanism,
        title: 'Commits wait for commit_delay',
        links: [],
        settings: [{ name: 'commit_delay', baseline: '30000', candidate: '0' }],
      },
    ],
  }),
  'only the place of the time is known': changed({ mechanisms: [{ ...mechanism, role: 'place', size: undefined }] }),
  'parallel workers were busy': changed({ workers: { baseline: 0, candidate: 2.63 } }),
  'pairs are unknown': changed({ unknownPairs: 2 }),
  'the sampled sessions are not those of the load': changed({ time: [], mechanisms: [], pairs: 0, brokenPairs: 4 }),
  'sessions were not sampled': changed({ time: [], mechanisms: [] }),
  'the slower side does not take longer': changed({
    time: explanation.time.map((one) => ({ ...one, share: null })),
    mechanisms: [],
  }),
  'one kind is more than the whole, and another one less': changed({
    time: [
      explainedTime('flush', [0.0163, 0.0043], 1.2),
      { ...explainedTime('client', [0.001, 0.003], -0.2), interval: { low: 0.001, high: 0.003, level } },
    ],
  }),
  'one kind is more than the whole, and no other is less beyond noise': changed({
    time: [explainedTime('flush', [0.012, 0.001], 1.1), explainedTime('cpu', [0.001, 0.002], -0.1)],
  }),
  'a half changes in no kind beyond noise': changed({ time: halves }),
  'no kind changes beyond noise': changed({
    time: halves.map((one) => ({ ...one, interval: unsure })),
    mechanisms: [],
  }),
  'the client is the limit': changed({
    time: [client],
    mechanisms: [{ ...mechanism, name: 'client-bound', kind: 'client', links: [] }],
  }),
  'the load generator is the limit': changed({
    time: [client],
    mechanisms: [{ ...mechanism, name: 'driver-bound', kind: 'client', links: [] }],
  }),
  ...Object.fromEntries(
    mechanisms.map(({ name, kinds, links = [] }) => {
      const [kind = ''] = Object.keys(kinds);
      const both = links.map(({ metric, claim }) => ({ ...link, metric, claim, baseline: 0.75, candidate: 0.25 }));
      return [
        `the mechanism ${name}`,
        changed({
          time: [explainedTime(kind, [0.0163, 0.0063], 1)],
          mechanisms: [{ ...mechanism, name, kind, links: both }],
        }),
      ];
    }),
  ),
};

/** As slow as at most 1% of the faster side: a fifth of the slower side’s transactions. */
const slow: Distribution['slow'] = {
  than: 'two-volumes',
  fromSeconds: 0.0655,
  baseline: { transactions: 0.2, time: 0.6 },
  candidate: { transactions: 0.009, time: 0.05 },
};

function distribution(some: Partial<Distribution['slow']>): Distribution {
  const { baseline, candidate, conditions } = explanation;
  return { baseline, candidate, conditions, crossing: null, slow: { ...slow, ...some } };
}

/** Latencies beside that explanation. The sentence on slow transactions stands only if the slower side has more of them. */
export const explainedLatencies: Record<string, Distribution> = {
  'a fifth is slow': distribution({}),
  'a fifth is slow on one side alone': distribution({ candidate: { transactions: 0, time: 0 } }),
  'too few are slow to say so': distribution({ baseline: { transactions: 0.02, time: 0.1 } }),
  'more are slow on the faster side': distribution({ than: 'one-volume' }),
};
