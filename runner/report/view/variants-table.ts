import type { DeclaredVolumes } from '../../places/definition.ts';
import { declaredVolumes } from '../../places/registry.ts';
import { decidingMetric } from '../../contract/experiment/schema.ts';
import type { Result } from '../../contract/result.ts';
import type { ResultVariant } from '../../contract/run-record.ts';
import type { Comparison } from '../../contract/comparison.ts';
import { serversAt, variantNames } from '../../contract/server.ts';
import { conditionsWords, levelKey, levelWords } from '../../contract/trial.ts';
import { controlsOf, variantsAt } from '../../experiment/groups.ts';
import { changeSizes, labelWithUnit, metricWords, scaleOfCompared } from '../words/metric-words.ts';
import { absent, inScale, quantity } from '../words/quantities.ts';
import { changeWords } from './answer.ts';
import { ranked } from './lead.ts';
import { left, levelsIn, right, type Row, type Table } from './table.ts';

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
    title: levels.some((level) => levelWords(level) !== '') ? 'All variants, at each level' : 'All variants',
    columns: [
      left('variant'),
      left('data on', 1),
      left('WAL on', 1),
      right(labelWithUnit(words, scale), 2),
      right('change', 3),
      right('interval of change'),
      left('verdict'),
    ],
    rows: rows.map(({ name, level, value, against, comparison }) => {
      const { verdict = null, change = null, interval = null } = comparison ?? {};
      return {
        cells: [
          conditionsWords({ ...level, variant: name }),
          ...volumesOf(experiment.definition.variants[name]),
          `${inScale(value, scale)}${against === null ? '' : ` (baseline ${inScale(against, scale)})`}`,
          comparison ? changeWords(comparison, change) : 'baseline',
          interval && comparison ? changeSizes(comparison.metric).range(interval.low, interval.high) : absent,
          verdict ?? '',
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

type Variant = Result['experiment']['definition']['variants'][string];

function volumesOf(variant: Variant | undefined): [data: string, wal: string] {
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
  return iops === undefined ? 'an unlimited disk' : `${iops.toLocaleString('en-US')} IOPS`;
}

/**
 * The definition of each variant, and its settings: first the settings that differ, then those that are the same.
 * collect/postgres/settings.ts decides which settings are worth showing when it reads them. If a variant has several
 * servers, the table shows every value that any of them has.
 */
export function settingsTable({ variants: servers, experiment }: Result): Table {
  const names = variantNames(servers);
  const read = (value: (server: ResultVariant) => string | null | undefined): string[] =>
    names.map((name) => [...new Set(serversAt(servers, {}, name).map((one) => value(one) ?? absent))].join(', '));
  const definitions = names.map((name) => experiment.definition.variants[name]);
  const configuration: [string, string[]][] = [
    ['what sets it apart', read(({ description }) => description)],
    ['PostgreSQL', read(({ serverVersion }) => serverVersion)],
    ['deployment', definitions.map((variant) => variant?.deployment ?? absent)],
    ['instance class', definitions.map((variant) => variant?.class ?? absent)],
    ['storage', definitions.map((variant) => (variant ? describeStorage(variant) : absent))],
    ['zone of the primary', read(({ deployed }) => deployed?.availabilityZone)],
    ['zones of standbys', read(({ deployed }) => deployed?.standbyZones.join(', '))],
    ['local standbys', definitions.map((variant) => (variant ? describeStandbys(variant) : absent))],
    ['log volume', definitions.map((variant) => (variant?.dedicatedLogVolume === true ? 'its own' : 'none'))],
  ];
  const settingNames = [...new Set(servers.flatMap(({ settings }) => Object.keys(settings)))].sort();
  const settings = settingNames.map((name): [string, string[]] => [
    name,
    inWords(read((server) => server.settings[name])),
  ]);
  const differing = settings.filter(([, values]) => differ(values));
  const shared = settings.filter(([, values]) => !differ(values));

  return {
    title: 'Variants and settings',
    columns: [left(''), ...names.map((name) => left(name))],
    rows: [...configuration, ...differing, ...shared]
      .filter(([, values]) => values.some((value) => value !== absent))
      .map(([name, values]): Row => ({
        cells: [name, ...values],
        emphasis: differ(values) ? 'strong' : undefined,
      })),
    notes: [
      'Rows in bold differ between the variants. Settings are those that the server reported, not those that were requested.',
    ],
  };
}

/** The values in words. If rounding makes different values look alike, they are not rounded. */
function inWords(values: readonly string[]): string[] {
  const words = values.map(settingWords);
  return differ(values) && !differ(words) ? [...values] : words;
}

function differ(values: readonly string[]): boolean {
  return new Set(values).size > 1;
}

function describeStandbys(variant: DeclaredVariant): string {
  const { standbys } = declaredVolumes(variant);
  if (standbys === null) return absent;
  const { count, iops } = standbys;
  return `${count}, synchronous${iops === undefined ? '' : `, ${iops.toLocaleString('en-US')} IOPS${count === 1 ? '' : ' each'}`}`;
}

type DeclaredVariant = Result['experiment']['definition']['variants'][string];

function describeStorage(variant: DeclaredVariant): string {
  const { storage } = variant;
  const { log } = declaredVolumes(variant);
  const parts = [
    storage.sizeGib === undefined ? storage.type : `${storage.type}, ${storage.sizeGib} GiB`,
    storage.iops === undefined ? '' : `${storage.iops.toLocaleString('en-US')} IOPS`,
    log?.iops === undefined ? '' : `log volume ${log.iops.toLocaleString('en-US')} IOPS`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

const byteUnits: Record<string, number> = { B: 1, kB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 };
const secondUnits: Record<string, number> = { us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, d: 86_400 };

/**
 * A value in a unit that people use, such as "128 MiB". pg_settings reports it in its own unit, such as `16384 (8kB)`.
 */
export function settingWords(value: string): string {
  const [, digits, multiple, unit] = /^(\d+) \((\d*)([A-Za-z]+)\)$/.exec(value) ?? [];
  if (digits === undefined || unit === undefined) return value;
  const amount = Number(digits) * (multiple === '' ? 1 : Number(multiple));
  // 0, like -1, often does not mean an amount, so it gets no unit.
  if (amount === 0) return digits;
  const bytes = byteUnits[unit];
  if (bytes !== undefined) return withoutZeros(quantity(amount * bytes, 'bytes'));
  const seconds = secondUnits[unit];
  return seconds === undefined ? value : withoutZeros(quantity(amount * seconds, 'duration'));
}

function withoutZeros(text: string): string {
  return text.replace(/\.0+(?= )/, '');
}
