import type { DeclaredVolumes } from '../../places/definition.ts';
import { declaredVolumes } from '../../places/registry.ts';
import { decidingMetric } from '../../contract/experiment/schema.ts';
import type { Result } from '../../contract/result.ts';
import type { Comparison } from '../../contract/comparison.ts';
import { variantNames } from '../../contract/server.ts';
import { conditionsWords, levelKey, levelWords } from '../../contract/trial.ts';
import { controlsOf, variantsAt } from '../../experiment/groups.ts';
import { absent, inDigits, inScale } from '../../contract/format.ts';
import { labelWithUnit, metricWords, scaleOfCompared } from '../metric-words.ts';
import { changeWords, intervalWords } from '../answer/answers.ts';
import { ranked } from '../answer/headline.ts';
import { left, levelsIn, right, type Table } from '../media/table.ts';
import { onFile, tableSection } from './section.ts';

/**
 * All variants in one table, if there are more than two variants or several levels: volumes as in study 2's table, the
 * declared metric, and its comparison with the baseline. At each level, the baseline stands first, then a control, then
 * the best. Otherwise it has no rows, since one comparison shows everything.
 */
export function variantsTable(result: Result): Table {
  const { variants, experiment, comparisons } = result;
  const decisive = comparisons.filter(({ primary }) => primary);
  const [first] = decisive;
  const words = metricWords(first ?? { metric: decidingMetric(experiment.definition.decision), unit: '' });
  const levels = levelsIn(result);
  const controls = controlsOf(experiment.definition);
  const names = variantNames(variants);
  const shown = first !== undefined && (names.length > 2 || levels.length > 1) ? names : [];
  const rows = levels.flatMap((level) => {
    const own = decisive.filter(({ conditions }) => levelKey(conditions) === levelKey(level));
    const here = variantsAt(experiment.definition, level);
    const order = ranked(own).map(({ candidate }) => candidate.variant);
    const placeOf = ({ name, comparison }: Side & { name: string }): number =>
      comparison === undefined ? -2 : controls.includes(name) ? -1 : order.indexOf(name);
    return shown
      .filter((name) => here.includes(name))
      .map((name) => ({ name, level, ...sideOf(name, own) }))
      .toSorted((one, other) => placeOf(one) - placeOf(other));
  });
  const scale = scaleOfCompared(
    rows.flatMap(({ comparison }) => comparison ?? []),
    words.kind,
  );
  return {
    title: levels.some((level) => levelWords(level) !== '') ? 'All variants by load level' : 'All variants',
    columns: [
      left('variant'),
      left('data on', 1),
      left('WAL on', 1),
      right(labelWithUnit(words, scale), 2),
      right('change', 3),
      right('confidence interval'),
      left('verdict'),
    ],
    rows: rows.map(({ name, level, value, against, comparison }) => {
      const { verdict = null, change = null } = comparison ?? {};
      return {
        cells: [
          conditionsWords({ ...level, variant: name }),
          ...volumesOf(experiment.definition.variants[name]),
          `${inScale(value, scale)}${against === null ? '' : ` (baseline ${inScale(against, scale)})`}`,
          comparison ? changeWords(comparison, change) : 'baseline',
          comparison ? intervalWords(comparison) : absent,
          comparison && verdict === null ? 'withheld' : (verdict ?? ''),
        ],
        tone: verdict === 'better' ? 'good' : verdict === 'worse' ? 'bad' : undefined,
      };
    }),
    notes: [],
  };
}

interface Side {
  value: number | null;
  /**
   * The baseline's value in this comparison, only if it differs from that of the baseline's row: other blocks count
   * here.
   */
  against: number | null;
  comparison: Comparison | undefined;
}

function sideOf(name: string, decisive: readonly Comparison[]): Side {
  const shared = decisive[0]?.baseline.value ?? null;
  const comparison = decisive.find(({ candidate }) => candidate.variant === name);
  if (!comparison) return { value: shared, against: null, comparison };
  const { baseline, candidate } = comparison;
  return { value: candidate.value, against: baseline.value === shared ? null : baseline.value, comparison };
}

type DeclaredVariant = Result['experiment']['definition']['variants'][string];

function volumesOf(variant: DeclaredVariant | undefined): [data: string, wal: string] {
  if (!variant) return [absent, absent];
  const { type, iops, log, standbys } = declaredVolumes(variant);
  const data = `${type === null ? '' : `${type}, `}${iopsInWords(iops)}`;
  const wal = log === null ? 'data volume' : log.iops === undefined ? 'its own' : iopsInWords(log.iops);
  return [data, [wal, standbysInWords(standbys)].filter((part) => part !== '').join(', and ')];
}

/** A commit waits for their WAL, too. */
function standbysInWords(standbys: DeclaredVolumes['standbys']): string {
  if (standbys === null) return '';
  const { count, iops } = standbys;
  const limit = iops === undefined ? '' : ` of ${iopsInWords(iops)}${count === 1 ? '' : ' each'}`;
  return `${count === 1 ? 'a standby' : `one of ${count} standbys`}${limit}`;
}

function iopsInWords(iops: number | undefined): string {
  return iops === undefined ? 'an unlimited disk' : `${inDigits(iops)} IOPS`;
}

export const variantsSection = tableSection('variants', ({ result }) => variantsTable(result), { titleIn: onFile });
