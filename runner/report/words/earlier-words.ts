import type { Comparison, EarlierStarts } from '../../contract/comparison.ts';
import type { Interval } from '../../statistics/exact-interval.ts';
import { changeSizes } from './metric-words.ts';
import { countInWords, levelPercent } from './quantities.ts';

/** Starts that are shown one by one. */
const mostShown = 6;
/** Below this chance, the text says that starts differ by more than the blocks of one start. */
const seldom = 0.05;

/**
 * What earlier starts found, such as `Earlier starts here: 88, 94, 91 %; the next is expected within 81 to 103 % (95 % level, from
 * four starts).`
 *
 * @param own comparison of this start
 */
export function earlierWords(
  { starts, leftOut, next, chance }: EarlierStarts,
  { metric, interval }: Pick<Comparison, 'metric' | 'interval'>,
): string {
  const { range, list } = changeSizes(metric);
  const changes = starts.map(({ change }) => change);
  const shown =
    starts.length > mostShown
      ? `The last ${countInWords(mostShown)} of ${starts.length} earlier starts here`
      : `Earlier ${starts.length === 1 ? 'start' : 'starts'} here`;
  const expected = next
    ? `; the next is expected within ${range(next.low, next.high)} (${levelPercent(next.level)} level, from ${countInWords(next.count)} starts)`
    : '';
  return [
    ...(changes.length > 0 ? [`${shown}: ${list(changes.slice(-mostShown))}${expected}.`] : []),
    ...(leftOut ? [leftOutWords(leftOut, changes.length)] : []),
    ...holding(changes, interval),
    ...(chance !== null && chance < seldom
      ? [
          `Starts differ by more than the blocks of one start do: if only blocks differed, starts would be this far apart in ${chance < 0.001 ? 'less than 0.1 %' : levelPercent(chance)} of cases.`,
        ]
      : []),
  ].join(' ');
}

function leftOutWords({ earlier, own }: NonNullable<EarlierStarts['leftOut']>, counted: number): string {
  const left = earlier + (own ? 1 : 0);
  const [includes, does, it] = [own ? ', this one included,' : '', ...(left === 1 ? ['does', 'it'] : ['do', 'them'])];
  return `${left} of ${counted + earlier + 1} starts${includes} ${does} not count, because blocks of ${it} are unknown.`;
}

/** Only for a misfit: an interval need not contain the estimates of other starts. */
function holding(changes: readonly number[], interval: Interval | null): string[] {
  if (!interval || changes.length === 0 || changes.some((change) => interval.low <= change && change <= interval.high))
    return [];
  return [
    `This start’s interval ${changes.length === 1 ? 'does not hold it' : `holds none of the ${countInWords(changes.length)}`}.`,
  ];
}
