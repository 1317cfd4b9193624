import { declaredVolumes } from '../../places/registry.ts';
import type { Result, ResultVariant } from '../../contract/result.ts';
import { serversAt, variantNames } from '../../contract/server.ts';
import { absent } from '../words/quantities.ts';
import { settingWords } from '../words/setting-words.ts';
import { left, type Row, type Table } from './table.ts';

/**
 * The definition of each variant, and its settings: first the settings that differ, then those that are the same. Which of
 * them are worth showing was decided when they were read (collect/postgres/settings.ts). If a variant has several servers, each
 * value that one of them has is shown.
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
    ['standbys here', definitions.map((variant) => (variant ? describeStandbys(variant) : absent))],
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

function describeStandbys(variant: Variant): string {
  const { standbys } = declaredVolumes(variant);
  if (standbys === null) return absent;
  const { count, iops } = standbys;
  return `${count}, synchronous${iops === undefined ? '' : `, ${iops.toLocaleString('en-US')} IOPS${count === 1 ? '' : ' each'}`}`;
}

type Variant = Result['experiment']['definition']['variants'][string];

function describeStorage(variant: Variant): string {
  const { storage } = variant;
  const { log } = declaredVolumes(variant);
  const parts = [
    storage.sizeGib === undefined ? storage.type : `${storage.type}, ${storage.sizeGib} GiB`,
    storage.iops === undefined ? '' : `${storage.iops.toLocaleString('en-US')} IOPS`,
    log?.iops === undefined ? '' : `log volume ${log.iops.toLocaleString('en-US')} IOPS`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}
