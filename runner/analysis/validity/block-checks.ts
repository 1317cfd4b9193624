import type { Check } from '../../contract/check.ts';
import type { FinishedTrial } from '../../contract/result.ts';
import { median } from '../../statistics/quantiles.ts';
import { commonCut, mser5 } from '../../statistics/steady-state.ts';
import { fail, notAssessed, pass, percent, warn } from './findings.ts';
import type { LedgerFacts, Pair } from './pair.ts';

const unequalSizes = { warn: 0.05, fail: 0.25 };

/**
 * Both sides grow as they are written to; what counts is that they start their trials alike. The faster one has written more
 * history in the warm-up: it is held against the size of the whole database.
 */
export function checkSizes({ blocks, baseline, candidate }: Pair): Check {
  const name = 'size and history of tables';
  const startOf = (index: 0 | 1, read: (trial: FinishedTrial) => number | null | undefined): number | null =>
    median(blocks.flatMap((block) => read(block[index]) ?? []));
  const sizeBytes = ({ server }: FinishedTrial): number | undefined => server?.sizesAtStart?.sizeBytes;
  const found = (
    [
      ['the database', sizeBytes],
      ['the history', ({ server }) => server?.sizesAtStart?.historyBytes],
    ] as [string, (trial: FinishedTrial) => number | null | undefined][]
  ).flatMap(([what, read]) => {
    const [before, after] = [startOf(0, read), startOf(1, read)];
    if (before === null || after === null) return [];
    const whole = Math.max(before, after, startOf(0, sizeBytes) ?? 0, startOf(1, sizeBytes) ?? 0);
    return [{ what, before, after, apart: whole === 0 ? 0 : Math.abs(after - before) / whole }];
  });
  if (found.length === 0) return notAssessed(name, 'sizes were not read');
  const worst = found.reduce((most, one) => (one.apart > most.apart ? one : most));
  if (worst.apart <= unequalSizes.warn) return pass(name, 'alike at the start of the trials');
  const words = `at the start of the trials ${worst.what} has ${mebibytes(worst.before)} in ${baseline}, ${mebibytes(worst.after)} in ${candidate}`;
  return worst.apart > unequalSizes.fail ? fail(name, words) : warn(name, words);
}

export function checkBlocks({ experiment, stoppedAfterBlock }: LedgerFacts, { blocks }: Pair): Check {
  const planned = stoppedAfterBlock ?? experiment.definition.protocol.blocks;
  return blocks.length < planned
    ? warn('blocks', `${blocks.length} of ${planned} planned blocks count`)
    : pass('blocks', `all ${planned} planned blocks count`);
}

export function checkOrder({ experiment }: LedgerFacts): Check {
  const name = 'order';
  switch (experiment.definition.protocol.order) {
    case 'random':
      return pass(name, 'drawn by chance and balanced');
    case 'fixed':
      return warn(name, 'always the same: what changes within a block looks like an effect of the variant');
    case 'together':
      return warn(name, 'at the same time from one driver (experimental): the faster variant takes more of the driver');
  }
}

/** The same cut for all trials of a block; what it would leave out says whether the warm-up sufficed. */
export function checkWarmUp({ experiment }: LedgerFacts, { blocks }: Pair): Check {
  const name = 'warm-up';
  const series = blocks.map((block) =>
    block.map(({ latency }) => latency?.perSecond.slice(1, -1).map(({ transactions }) => transactions) ?? []),
  );
  if (series.length === 0 || series.flat().some((one) => one.length < 50)) {
    return notAssessed(name, 'MSER-5 needs trials of 50 s at least');
  }
  const cuts = series.map((block) => commonCut(block.map(mser5)));
  const unsteady = cuts.filter((cut) => cut === null).length;
  const longest = Math.max(0, ...cuts.map((cut) => cut ?? 0));
  if (unsteady > 0)
    return warn(name, `MSER-5 finds no steady part in ${unsteady} of ${cuts.length} blocks: warm up for longer`);
  const shortest = Math.min(...series.flat().map((one) => one.length));
  const leaves = experiment.definition.protocol.truncate === 'none' ? 'would leave out' : 'leaves out';
  return longest > shortest / 4
    ? warn(name, `MSER-5 ${leaves} up to ${longest} s of a trial: warm up for longer`)
    : pass(name, `MSER-5 ${leaves} ${longest} s of a trial at most`);
}

/** Iglewicz & Hoaglin (1993), "How to Detect and Handle Outliers": modified z-scores beyond 3.5. Flagged, never dropped. */
export function checkOutliers({ experiment }: LedgerFacts, { blocks }: Pair): Check {
  const name = 'outliers';
  const ratios = blocks.flatMap(([before, after]) => {
    const [a, b] = [before.run.tps, after.run.tps];
    return a !== null && b !== null && a > 0 && b > 0 ? [{ block: before.block, value: Math.log(b / a) }] : [];
  });
  const center = median(ratios.map(({ value }) => value));
  const deviation = center === null ? null : median(ratios.map(({ value }) => Math.abs(value - center)));
  if (center === null || deviation === null || ratios.length < 6) return notAssessed(name, 'too few blocks to tell');
  const odd = ratios.filter(({ value }) => 0.6745 * Math.abs(value - center) > 3.5 * deviation);
  // Below what matters nothing is odd, however still the rest was.
  const matters = odd.filter(
    ({ value }) => Math.abs(value - center) > Math.log1p(experiment.definition.decision.practicalThreshold),
  );
  return matters.length > 0
    ? warn(
        name,
        `block ${matters.map(({ block, value }) => `${block} (${percent(Math.expm1(value))})`).join(', ')} lies far from the others in TPS; it counts all the same`,
      )
    : pass(name, 'no block lies far from the others');
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
