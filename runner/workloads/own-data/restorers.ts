import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { exists } from '../../files/look.ts';
import { majorOf } from '../../postgres/versions/known.ts';
import { askProgram } from '../../process/run-command.ts';
import { type OwnDataPlaces, programIn } from './psql.ts';

/** The client programs of one PostgreSQL, with pg_restore. */
export interface Restorer {
  folder: string;
  major: number;
}

/**
 * The oldest pg_restore that reads a format. Every older format can be read by all versions that pgduet knows.
 *
 * @see pg_backup_archiver.h of each version
 */
const readSince: Readonly<Record<string, number>> = { '1.15': 16, '1.16': 17 };
const everywhere = 14;

/**
 * The programs that can read an archive, newest first.
 *
 * @param archive its name in messages, and the version of its format
 * @throws {UserError} if there are none, with what to install
 */
export async function restorersOf(
  archive: { name: string; format: string },
  { programs, otherPrograms = [] }: OwnDataPlaces,
  signal: AbortSignal,
): Promise<[Restorer, ...Restorer[]]> {
  const found: Restorer[] = [];
  for (const folder of [programs, ...otherPrograms]) {
    const program = path.join(folder, 'pg_restore');
    if (!exists(program)) continue;
    const { stdout } = await askProgram([program, '--version'], { signal });
    const major = majorOf(/\(PostgreSQL\) (\S+)/.exec(stdout)?.[1]);
    if (major !== null) found.push({ folder, major });
  }
  if (found.length === 0) programIn(programs, 'pg_restore');
  return thatRead(archive, found);
}

/** @throws {UserError} if none of them can */
export function thatRead(
  { name, format }: { name: string; format: string },
  found: readonly Restorer[],
): [Restorer, ...Restorer[]] {
  const sorted = found.toSorted((one, other) => other.major - one.major);
  const isOld = Number(format.split('.')[1]) < 15;
  const since = readSince[format] ?? (isOld ? everywhere : null);
  // A format that we do not know is a newer one than those.
  const [newest, ...others] = since === null ? [] : sorted.filter(({ major }) => major >= since);
  if (newest) return [newest, ...others];
  const needed = since === null ? 'a newer PostgreSQL' : `PostgreSQL ${since} or newer`;
  throw new UserError(
    `load.dump ${name} has the format ${format} of ${needed}. The newest pg_restore here, ${sorted[0]?.major ?? ''}, cannot read it. Install ${needed} beside it, or list the folder of its programs in PGDUET_PG_BINDIR. Or dump again with pg_dump --format=plain.`,
  );
}

/**
 * Which of these restores an archive on a server: the newest that is not newer than the server, which says nothing that
 * the server does not know. Otherwise the oldest, which only writes the SQL. Then pgduet leaves out what the server does
 * not know (dump-text.ts), and psql runs the rest.
 */
export function restorerFor(
  serverMajor: number,
  restorers: readonly [Restorer, ...Restorer[]],
): Restorer & { onlyWrites: boolean } {
  const own = restorers.find(({ major }) => major <= serverMajor);
  return { ...(own ?? restorers.at(-1) ?? restorers[0]), onlyWrites: own === undefined };
}
