import { carriedOut, type Figures, type SummaryLines } from './summary-lines.ts';

/** The worth of the last decimal that is printed: 0.001 of 1.907, 1 of 12. */
export function lastPlaceOf(text: string | undefined): number {
  return 10 ** -decimalsOf(text ?? '');
}

/**
 * Why figures that have other decimals than pgbench prints cannot be counted, in words; null if they can. Whoever rounds does it
 * to all times alike, and to all speeds. A figure that lost digits by damage stands alone, or nothing else confirms it.
 */
export function doubtAboutRounding({ run, scripts }: SummaryLines): string | null {
  const all = [run, ...scripts.map(({ figures }) => figures)];
  const ofTimes = decimalsIn(all.flatMap((figures) => times.flatMap((name) => figures.get(name)?.[0] ?? [])));
  const ofSpeeds = decimalsIn([
    ...speeds.flatMap((name) => run.get(name)?.[0] ?? []),
    ...scripts.flatMap(({ figures }) => carriedOut(figures)[1] ?? []),
  ]);
  if (ofTimes.size > 1) return 'its times have different numbers of decimals';
  if (ofSpeeds.size > 1) return 'its speeds have different numbers of decimals';
  const isRounded = [...ofTimes].some((decimals) => decimals !== 3) || [...ofSpeeds].some((decimals) => decimals !== 6);
  return isRounded && !isConfirmed(run)
    ? 'it has other decimals than pgbench prints, and no other figure confirms them'
    : null;
}

const times = ['latencyAverage', 'latencyStddev', 'lag', 'initialConnection', 'averageConnection'];
const speeds = ['tpsIncluding', 'tpsExcluding', 'tps'];

/** Where latencies were not measured one by one, they follow from the speed; elsewhere the duration tells the speed. */
function isConfirmed(run: Figures): boolean {
  const number = (name: string): number => Number(run.get(name)?.[0] ?? NaN);
  const [speed] = run.get('tpsIncluding') ?? run.get('tps') ?? [];
  // What has one digit agrees with too much.
  if ([speed, run.get('latencyAverage')?.[0]].some((text) => lastPlaceOf(text) > 0.1 * Number(text))) return false;
  if (run.has('latencyAverage') && !run.has('latencyStddev')) return true;
  const connecting = (run.has('initialConnection') ? number('initialConnection') : 0) / 1000;
  return Math.abs(number('processed') / Number(speed) + connecting - number('duration')) <= 0.02 * number('duration');
}

function decimalsIn(texts: readonly string[]): Set<number> {
  return new Set(texts.filter((text) => /^\d/.test(text)).map(decimalsOf));
}

function decimalsOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}
