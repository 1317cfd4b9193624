import { codeInWords, extensionInWords } from '../../contract/built.ts';
import { hasLogVolume } from '../../contract/log-volume.ts';
import { shownProperty } from '../../contract/server-property.ts';
import { declaredVolumes, placeNamed, placeOfStorage } from '../../places/registry.ts';
import type { Result } from '../../contract/result.ts';
import type { ResultVariant } from '../../contract/run-record.ts';
import { serversAt, variantNames } from '../../contract/server.ts';
import { absent, chosen, inDigits } from '../../contract/format.ts';
import { differingValues, type Side } from '../../analysis/undeclared-differences.ts';
import { left, type Row, type Table } from '../media/table.ts';
import { tableSection } from './section.ts';

/**
 * The definition of each variant, and its settings: those that differ, which a reader looks for, and those that are the
 * same, each below whose word it is. collect/postgres/settings.ts decides which settings are worth showing when it reads them. If a variant has
 * several servers, the tables show every value that any of them has.
 */
export function settingsTables({ variants: servers, experiment, place }: Result): { differing: Table; shared: Table } {
  const { serverProperties = [] } = placeNamed(place.kind);
  const names = variantNames(servers);
  const read = (value: (server: ResultVariant) => string | null | undefined): string[] =>
    names.map((name) => [...new Set(serversAt(servers, {}, name).map((one) => value(one) ?? absent))].join(', '));
  const definitions = names.map((name) => experiment.definition.variants[name]);
  const declared: [string, string[]][] = [
    ['description', read(({ description }) => description)],
    ['deployment', definitions.map((variant) => variant?.deployment ?? absent)],
    ['instance class', definitions.map((variant) => variant?.class ?? absent)],
    ['storage', definitions.map((variant) => (variant ? describeStorage(variant) : absent))],
    ['local standbys', definitions.map((variant) => (variant ? describeStandbys(variant) : absent))],
    ['pooler', definitions.map(describePooler)],
    ['log volume', definitions.map((variant) => (hasLogVolume(variant) ? 'its own' : 'none'))],
    ['prepare', definitions.map((variant) => variant?.prepare?.join('; ') ?? absent)],
  ];
  const built: [string, string[]][] = [
    ['source code', read(({ built }) => built?.server && codeInWords(built.server))],
    ['options of configure', read(({ built }) => built?.server && (built.server.configure.join(' ') || 'none'))],
    ['compiler', read(({ built }) => built?.server?.compiler)],
    ['extension', read(({ built }) => built?.extension && extensionInWords(built.extension))],
    ['compiler of the extension', read(({ built }) => built?.extension?.compiler)],
  ];
  const settingNames = [...new Set(servers.flatMap(({ settings }) => Object.keys(settings)))].sort();
  const reported: [string, string[]][] = [
    ['PostgreSQL', read(({ serverVersion }) => serverVersion)],
    ...serverProperties.flatMap((property): [string, string[]][] =>
      property.label === undefined
        ? []
        : [[property.label, read(({ deployed }) => deployed && shownProperty(deployed, property)?.toString())]],
    ),
    ['zones of standbys', read(({ deployed }) => deployed?.standbyZones.join(', '))],
    ...settingNames.map((name): [string, string[]] => [name, inWords(read((server) => server.settings[name]))]),
  ];
  const known = [
    ...declared.map((row) => ({ row, group: 'declared by the experiment' })),
    ...built.map((row) => ({ row, group: 'built by pgduet' })),
    ...reported.map((row) => ({ row, group: 'reported by the server or AWS' })),
  ].filter(({ row: [, values] }) => values.some((value) => value !== absent));
  const rowsThat = (isDifferent: boolean): Row[] =>
    known
      .filter(({ row: [, values] }) => differ(values) === isDifferent)
      .map(({ row: [name, values], group }) => ({ cells: [name, ...values], group }));
  const [differing, shared] = [rowsThat(true), rowsThat(false)] as const;
  const columns = [left('setting'), ...names.map((name) => left(name))];
  return {
    differing: { title: 'Setting differences', columns, rows: differing, notes: [] },
    shared: {
      title: 'Settings in common',
      columns,
      rows: shared,
      ...(names.length > 1 && { summary: `${differing.length} differ, ${shared.length} are the same` }),
      notes: [],
    },
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
  return `${count}, synchronous${iops === undefined ? '' : `, ${inDigits(iops)} IOPS${count === 1 ? '' : ' each'}`}`;
}

function describePooler(variant: DeclaredVariant | undefined): string {
  const pooler = variant?.pooler;
  return (pooler && placeOfStorage(variant.storage).poolers?.words(pooler)) ?? absent;
}

type DeclaredVariant = Result['experiment']['definition']['variants'][string];

function describeStorage(variant: DeclaredVariant): string {
  const { storage } = variant;
  const { log } = declaredVolumes(variant);
  const parts = [
    storage.sizeGib === undefined ? storage.type : `${storage.type}, ${storage.sizeGib} GiB`,
    storage.iops === undefined ? '' : `${inDigits(storage.iops)} IOPS`,
    log?.iops === undefined ? '' : `log volume ${inDigits(log.iops)} IOPS`,
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
  if (bytes !== undefined) return chosen(amount * bytes, 'bytes');
  const seconds = secondUnits[unit];
  return seconds === undefined ? value : chosen(amount * seconds, 'duration');
}

/** What differs between the sides of a comparison, before anything is said about their figures. */
export function sidesTable(sides: readonly Side[]): Table {
  const compared = [...new Map(sides.map((side) => [side.label, side])).values()];
  return {
    title: 'Differences',
    columns: [left(''), ...compared.map(({ label }) => left(label))],
    rows: differingValues(compared).map(({ what, values }) => ({
      cells: [what, ...values.map((value) => (value === null ? absent : settingWords(value.replaceAll('"', ''))))],
    })),
    notes: [],
  };
}

export const settingsSection = tableSection('settings', ({ result }) => settingsTables(result).differing, {
  layout: 'texts',
});

export const sharedSettingsSection = tableSection('settings-shared', ({ result }) => settingsTables(result).shared, {
  layout: 'texts',
});
