import type { ParameterValue, Variant } from '../../contract/experiment/variant.ts';
import type { RuleProblem } from '../../contract/check.ts';
import { bytesOf, parseNumber } from '../../postgres/parameters/judge.ts';

type Parameters = Readonly<Record<string, ParameterValue>>;

/** Parameters that make a cluster private. An experiment may not set them. */
const ours = [
  'port',
  'listen_addresses',
  'unix_socket_directories',
  'data_directory',
  'hba_file',
  'config_file',
  'ident_file',
];

/**
 * Parameters that turn servers into standbys and make a primary wait for them. An experiment with standbys may not set
 * them.
 */
const oursWithStandbys = ['synchronous_standby_names', 'primary_conninfo', 'primary_slot_name', 'hot_standby'];

/** The size of a WAL file. initdb sets it, so no settings file may contain it. */
export const walSegmentSize = 'wal_segment_size';
const defaultSegmentMegabytes = 16;

/** Why a parameter cannot be set for a server that pgduet makes here; null if it can. */
export function localParameterProblem(name: string, value: ParameterValue): string | null {
  if (ours.includes(name)) return 'pgduet sets it on local servers; remove it';
  if (name !== walSegmentSize || walSegmentMegabytes(value) !== null) return null;
  return 'it must be a power of two from 1MB to 1GB';
}

/**
 * The size of a WAL file in MB, as initdb expects it. A number without a unit is in bytes, as on RDS.
 *
 * @returns null if it is not a power of two from 1 MB to 1 GB
 */
export function walSegmentMegabytes(asked: ParameterValue): number | null {
  const bytes = bytesOf(asked, 'B');
  const size = bytes === null ? null : bytes / 2 ** 20;
  return size !== null && size >= 1 && size <= 1024 && Number.isInteger(Math.log2(size)) ? size : null;
}

/** Parameters with which a server here does not start, although each of them is right by itself. */
export function startProblems({ engine }: Partial<Pick<Variant, 'engine'>>, standbys: number): RuleProblem[] {
  const parameters = engine?.parameters ?? {};
  const of = (name: string, message: string | null): RuleProblem[] =>
    message === null ? [] : [{ rule: 'parameter-start', path: ['engine', 'parameters', name], message }];
  return [
    ...oursWithStandbys.flatMap((name) =>
      of(name, standbys > 0 && name in parameters ? 'storage.standbys sets it; remove it' : null),
    ),
    ...of('synchronous_standby_names', standbys > 0 ? null : waitsForNobody(parameters)),
    ...['min_wal_size', 'max_wal_size'].flatMap((name) => of(name, tooFewSegments(name, parameters))),
    ...of('wal_level', walSenders(parameters)),
    ...of('max_connections', allReserved(parameters)),
  ];
}

/** With such a list and without standbys, already the first commit would never return. */
function waitsForNobody(parameters: Parameters): string | null {
  const names = String(parameters['synchronous_standby_names'] ?? '').trim();
  const isAwaited = !['off', 'local', 'false', 'no', '0'].includes(String(parameters['synchronous_commit'] ?? 'on'));
  return names !== '' && isAwaited
    ? 'the server has no standby, so commits would wait for ever; omit it, or give the variant standbys (storage.standbys)'
    : null;
}

/** Source: InitializeWalConsistencyChecking and ReadControlFile in src/backend/access/transam/xlog.c. */
function tooFewSegments(name: string, parameters: Parameters): string | null {
  const segment =
    walSegmentSize in parameters ? walSegmentMegabytes(parameters[walSegmentSize] ?? '') : defaultSegmentMegabytes;
  const size = numberOf(parameters[name], 'MB');
  if (segment === null || size === null || size <= 0 || Math.floor(size / segment) >= 2) return null;
  return `less than two WAL files of ${segment} MB (wal_segment_size); expected at least ${2 * segment}MB`;
}

/** Source: PostmasterMain in src/backend/postmaster/postmaster.c, as for the next one. */
function walSenders(parameters: Parameters): string | null {
  const isMinimal = String(parameters['wal_level'] ?? '').toLowerCase() === 'minimal';
  return isMinimal && (numberOf(parameters['max_wal_senders'], undefined) ?? 10) > 0
    ? 'the server then starts only without WAL senders; add max_wal_senders: 0'
    : null;
}

function allReserved(parameters: Parameters): string | null {
  const max = numberOf(parameters['max_connections'], undefined);
  const reserved =
    (numberOf(parameters['superuser_reserved_connections'], undefined) ?? 3) +
    (numberOf(parameters['reserved_connections'], undefined) ?? 0);
  return max !== null && max >= 1 && max <= reserved
    ? `${reserved} connections are reserved; expected more than that`
    : null;
}

/** A whole number as a server reads it; null if it is none, or missing. */
export function numberOf(value: ParameterValue | undefined, unit: string | undefined): number | null {
  return value === undefined || typeof value === 'boolean'
    ? null
    : parseNumber(String(value), { vartype: 'integer', ...(unit !== undefined && { unit }) });
}
