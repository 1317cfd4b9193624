import { binomialInterval } from '../runner/statistics/binomial.ts';
import { planLooks } from '../runner/statistics/sequential.ts';
import { replaceTables } from './document.ts';
import { independent, noises, normalNoise } from './statistics/noise.ts';
import { benchPlanning } from './statistics/planning.ts';
import { benchSettling } from './statistics/settling.ts';
import {
  type Count,
  countCoverage,
  countFalsePositives,
  countFalsePositivesOfOldWay,
  countVerdicts,
  simulatePeeking,
  simulateStopping,
} from './statistics/simulations.ts';
import { benchWithinATrial } from './statistics/within-a-trial.ts';

const experiments = 20_000;

/** Simulates how far pgduet's decisions can be trusted, prints the tables, and puts them into docs/statistics.md. */
export async function benchStatistics(): Promise<void> {
  const further = [...benchPlanning(rate), benchSettling(), ...benchWithinATrial(rate)];
  const tables = [
    ...[falsePositives(), intervals(), power(), verdicts(), stopping()],
    ...further.map(({ title, head, rows }) => table(title, head, rows)),
  ].join('\n\n');
  await replaceTables('statistics', tables);
  process.stdout.write(`${tables}\n`);
}

function falsePositives(): string {
  const blocks = [6, 8, 10, 20];
  const rows = noises.map((noise) => [
    noise.name,
    ...blocks.map((count) => rate(countFalsePositives({ noise, blocks: count, experiments }))),
    rate(countFalsePositives({ noise, blocks: 10, experiments, order: 'fixed' })),
    rate(countFalsePositivesOfOldWay(noise, experiments / 10)),
  ]);
  return table(
    '**A/A: how often a verdict of better or worse is given although nothing differs**',
    [
      'noise',
      ...blocks.map((count) => `${count} blocks`),
      '10 blocks, `order: fixed`',
      'three runs each in a row, Welch on seconds',
    ],
    rows,
  );
}

function intervals(): string {
  const rows = noises.flatMap((noise) =>
    [6, 8, 10, 20].map((blocks) => {
      const coverage = countCoverage({ noise, blocks, effect: 0.1, experiments });
      return [
        noise.name,
        String(blocks),
        percent(coverage.level),
        rate(coverage),
        `${(coverage.width * 100).toFixed(1)} points`,
      ];
    }),
  );
  return table(
    '**Intervals: how often they hold a true change of +10 %**',
    ['noise', 'blocks', 'stated level', 'coverage', 'median width'],
    rows,
  );
}

function power(): string {
  const rows = [0.01, 0.02, 0.03, 0.05].map((spread) => [
    `${spread * 100} %`,
    ...[6, 8, 10, 20].map((blocks) => {
      const count = countVerdicts({ noise: normalNoise(spread), blocks, effect: 0.05, experiments });
      return rate(count('better'));
    }),
  ]);
  return table(
    '**Power: how often a true change of +5 % is called better**',
    ['spread of a trial (standard deviation)', '6 blocks', '8 blocks', '10 blocks', '20 blocks'],
    rows,
  );
}

function verdicts(): string {
  const rows = [0, 0.025, 0.05, 0.1].map((effect) => {
    const count = countVerdicts({ noise: independent, blocks: 10, effect, experiments });
    return [
      `+${effect * 100} %`,
      ...(['better', 'equivalent', 'worse'] as const).map((verdict) => rate(count(verdict))),
    ];
  });
  return table(
    '**Verdicts of ten blocks at a practical threshold of 5 % and a spread of 2 %** (the rest is inconclusive)',
    ['true change', 'better', 'equivalent', 'worse'],
    rows,
  );
}

function stopping(): string {
  const cap = 30;
  const looks = planLooks(cap, 0.95).map(({ blocks, level }) => `${blocks} (${percent(level)})`);
  const rows = noises.flatMap((noise) => {
    const setting = { noise, blocks: cap, experiments };
    const rule = simulateStopping(setting);
    const peeking = simulatePeeking(setting);
    return [[noise.name, rate(rule.falsePositives), rule.meanBlocks.toFixed(1), rate(peeking.falsePositives)]];
  });
  return table(
    `**Sequential: \`until precision\`, at most ${cap} blocks, looks at ${looks.join(', ')}**`,
    ['noise', 'A/A: interval at the stop excludes zero', 'blocks used', 'the same when peeking after every block'],
    rows,
  );
}

function table(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [title, '', line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** The rate, with the 95 % interval that this number of simulated experiments gives. */
function rate({ hits, experiments: n }: Count): string {
  const interval = binomialInterval(hits, n, 0.95);
  if (!interval) return '–';
  return `${percent(hits / n)} (${percent(interval.low)} to ${percent(interval.high)})`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
