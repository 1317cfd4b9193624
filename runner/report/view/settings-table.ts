import type { Result } from '../../contract/result.ts';
import { absent } from '../words/quantities.ts';
import { settingWords } from '../words/setting-words.ts';
import { left, type Row, type Table } from './table.ts';

/**
 * The definition of each variant, and its settings: first the settings that differ, then those that are the same. Which of
 * them are worth showing was decided when they were read (collect/postgres/settings.ts).
 */
export function settingsTable({ variants, experiment }: Result): Table {
  const definitions = variants.map(({ name }) => experiment.definition.variants[name]);
  const configuration: [string, string[]][] = [
    ['what sets it apart', variants.map(({ description }) => description ?? absent)],
    ['PostgreSQL', variants.map(({ serverVersion }) => serverVersion ?? absent)],
    ['deployment', definitions.map((variant) => variant?.deployment ?? absent)],
    ['instance class', definitions.map((variant) => variant?.class ?? absent)],
    ['storage', definitions.map((variant) => (variant ? describeStorage(variant.storage) : absent))],
    ['zone of the primary', variants.map(({ deployed }) => deployed?.availabilityZone ?? absent)],
    ['zones of standbys', variants.map(({ deployed }) => deployed?.standbyZones.join(', ') ?? absent)],
    ['log volume', definitions.map((variant) => (variant?.dedicatedLogVolume === true ? 'its own' : 'none'))],
  ];
  const settingNames = [...new Set(variants.flatMap(({ settings }) => Object.keys(settings)))].sort();
  const settings = settingNames.map((name): [string, string[]] => [
    name,
    inWords(variants.map((variant) => variant.settings[name] ?? absent)),
  ]);
  const differing = settings.filter(([, values]) => differ(values));
  const shared = settings.filter(([, values]) => !differ(values));

  return {
    title: 'Variants and settings',
    columns: [left(''), ...variants.map(({ name }) => left(name))],
    rows: [...configuration, ...differing, ...shared]
      .filter(([, values]) => values.some((value) => value !== absent))
      .map(([name, values]): Row => ({
        cells: [name, ...values],
        emphasis: differ(values) ? 'strong' : undefined,
      })),
    notes: [
      'Rows in bold differ between the variants. Settings are as the server reported them, not as they were asked.',
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

type Storage = Result['experiment']['definition']['variants'][string]['storage'];

function describeStorage(storage: Storage): string {
  const parts = [
    `${storage.type}, ${storage.sizeGib} GiB`,
    storage.iops === undefined ? '' : `${storage.iops.toLocaleString('en-US')} IOPS`,
    'logVolumeIops' in storage && storage.logVolumeIops !== undefined
      ? `log volume ${storage.logVolumeIops.toLocaleString('en-US')} IOPS`
      : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}
