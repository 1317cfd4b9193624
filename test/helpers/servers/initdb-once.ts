import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findInstallations, withPrograms } from '../../../runner/places/local/installations.ts';

/**
 * Before all tests: they make more than a hundred servers, and initdb is the longest step of most. A stand-in makes a data
 * folder once for each set of options, and copies it from then on. Runs find it by the first pg_config of the PATH. Beside
 * it are the real programs; a test that names their folder itself has the real initdb, too.
 *
 * @returns what removes it after all tests; nothing if this machine has no PostgreSQL, or other options of mv
 */
export default async function setup(): Promise<(() => void) | undefined> {
  if (process.platform !== 'linux') return undefined;
  const needed = ['postgres', 'initdb', 'pgbench'] as const;
  const { installations } = await findInstallations(
    { environment: process.env, signal: new AbortController().signal },
    needed,
  );
  const real = withPrograms(installations, needed)[0]?.folder;
  if (real === undefined || !existsSync(path.join(real, 'pg_config'))) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'initdb-once-'));
  const made = path.join(folder, 'made');
  mkdirSync(made);
  // For the servers' user, whoever that is.
  chmodSync(made, 0o1777);
  chmodSync(folder, 0o755);
  const scripts: Record<string, string> = { initdb: initdb(real, made), pg_config: pgConfig(real, folder) };
  for (const name of readdirSync(real)) {
    const file = path.join(folder, name);
    const script = scripts[name];
    if (script === undefined) symlinkSync(path.join(real, name), file);
    else writeFileSync(file, script, { mode: 0o755 });
  }
  process.env['PATH'] = `${folder}:${process.env['PATH'] ?? ''}`;
  return () => rmSync(folder, { recursive: true });
}

function pgConfig(real: string, folder: string): string {
  return `#!/bin/sh
[ "$*" = --bindir ] && echo '${folder}' && exit
exec '${real}/pg_config' "$@"
`;
}

/** Copies have the system identifier of what they are copied from, and a password of their own. */
function initdb(real: string, made: string): string {
  return `#!/bin/sh
data= wal= password_file= options=
for word; do
  case $word in
    --pgdata=*) data=\${word#*=} ;;
    --waldir=*) wal=\${word#*=} ;;
    --pwfile=*) password_file=\${word#*=} ;;
    *) options="$options $word" ;;
  esac
done
# What else is wanted, and what cannot succeed, is left to the real one.
[ -w "$data" ] && [ -r "$password_file" ] && [ "$options" = "\${options#*/}" ] || exec '${real}/initdb' "$@"
template="${made}/$(id -u)$options"
if [ ! -d "$template" ]; then
  unfinished="${made}/unfinished-$$"
  mkdir -m 700 "$unfinished" &&
    '${real}/initdb' --pgdata="$unfinished/data" --waldir="$unfinished/wal" --pwfile="$password_file" $options &&
    rm "$unfinished/data/pg_wal" || exit 1
  # Another one may have made it meanwhile.
  mv -T "$unfinished" "$template" 2>/dev/null || rm -r "$unfinished"
fi
cp -R -p "$template/data/." "$data" || exit 1
if [ "$wal" = "" ]; then
  cp -R -p "$template/wal" "$data/pg_wal" || exit 1
else
  ln -s "$wal" "$data/pg_wal" && cp -R -p "$template/wal/." "$wal" || exit 1
fi
IFS= read -r password < "$password_file"
echo "ALTER ROLE postgres PASSWORD '$password'" | '${real}/postgres' --single -F -D "$data" postgres > /dev/null
`;
}
