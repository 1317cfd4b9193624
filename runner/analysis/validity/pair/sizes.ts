import { isNumber } from '../../../metrics/value.ts';
import { median } from '../../../statistics/summaries.ts';
import { fail, notAssessed, type PairCheck, pass, type SideOfPair, warn } from '../check.ts';
import { quantity } from '../../../contract/format.ts';

const unequal = { warn: 0.05, fail: 0.25 };

/**
 * Whether both sides start their trials with tables of equal size. The tables of both grow with every write, and the
 * faster side writes more history in the warm-up. So a difference in the history is taken relative to the size of the
 * whole database. Sides that were prepared differently are meant to differ in size, as by an index. Where the better side
 * has the larger tables, they cannot be what makes it better: its warm-up wrote more.
 */
export const sizes: PairCheck = {
  id: 'size-and-history-of-tables',
  name: 'table sizes',
  remedy: 'Reset the data before every trial (protocol.reset).',
  needsEdit: true,
  judge: (_, { baseline, candidate, comparison: { verdict } }) => {
    const startOf = ({ measured }: SideOfPair, metric: string): number | null =>
      median(measured.map(({ measures }) => measures[metric]).filter(isNumber));
    const whole = Math.max(...[baseline, candidate].map((side) => startOf(side, 'database.sizeAtStart') ?? 0));
    const arePreparedAlike = baseline.declared.get('prepare') === candidate.declared.get('prepare');
    const found = [
      { what: 'the database', metric: 'database.sizeAtStart' },
      { what: 'the history', metric: 'history.sizeAtStart' },
    ].flatMap(({ what, metric }) => {
      const [before, after] = [startOf(baseline, metric), startOf(candidate, metric)];
      if (before === null || after === null) return [];
      const of = Math.max(before, after, whole);
      return [{ what, before, after, apart: of === 0 ? 0 : Math.abs(after - before) / of }];
    });
    const [first] = found;
    if (!first) return notAssessed('sizes were not read');
    const say = ({ what, before, after }: typeof first): string =>
      `at trial start, ${what} is ${quantity(before, 'bytes')} on ${baseline.label} and ${quantity(after, 'bytes')} on ${candidate.label}`;
    const unmeant = found.filter(({ what }) => arePreparedAlike || what !== 'the database');
    const [worst] = unmeant.sort((one, other) => other.apart - one.apart);
    if (worst && worst.apart > unequal.warn) {
      const isLargerOnBetter = verdict === (worst.after > worst.before ? 'better' : 'worse');
      if (isLargerOnBetter)
        return warn(
          `${say(worst)}, although ${worst.after > worst.before ? candidate.label : baseline.label} has the better verdict`,
        );
      return worst.apart > unequal.fail ? fail(say(worst)) : warn(say(worst));
    }
    return pass(arePreparedAlike ? 'about equal at trial start' : `${say(first)}, as prepared`);
  },
};
