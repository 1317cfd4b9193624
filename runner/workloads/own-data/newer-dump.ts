/**
 * What to do about a dump that a newer PostgreSQL made than the one that reads it; null if the words are about something
 * else. pg_dump promises only that newer servers can read its dumps.
 *
 * @see https://www.postgresql.org/docs/current/app-pgdump.html, "Notes"
 */
export function newerDumpRemedy(errors: string): string | null {
  const archive = /unsupported version \(([\d.]+)\) in file header/.exec(errors)?.[1];
  if (archive !== undefined) {
    return `The dump was made by a newer pg_dump than this pg_restore reads (its format is ${archive}). Name the folder of newer programs with --pg-bindir, or dump again with an older pg_dump.`;
  }
  const parameter = /unrecognized configuration parameter "(\w+)"/.exec(errors)?.[1];
  if (parameter === undefined) return null;
  return `The server is older than ${parameter}. Dump with the pg_dump of the oldest variant's version, and name the folder of its programs with --pg-bindir; or make a plain dump and delete the line that sets ${parameter}.`;
}
