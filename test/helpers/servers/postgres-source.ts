import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runChecked } from '../../../runner/process/run-command.ts';

/** What was downloaded stays here. */
const cache = path.resolve(import.meta.dirname, '../../../dist/postgres-source');

/**
 * Unpacks the source code of a release, as its makers publish it. It has what bison and flex make, so that it needs neither.
 *
 * @param folder that gets it, without a folder around it
 */
export async function unpackSource(folder: string): Promise<void> {
  const archive = await download();
  mkdirSync(folder);
  await runChecked(['tar', '--extract', `--file=${archive}`, `--directory=${folder}`, '--strip-components=1'], {
    signal: AbortSignal.timeout(120_000),
  });
}

/** Asks apt for what Debian made its packages of, with lists of its own: the machine keeps its suites. */
async function download(): Promise<string> {
  const isThere = path.join(cache, 'complete');
  if (!existsSync(isThere)) {
    for (const part of ['lists/partial', 'archives/partial']) mkdirSync(path.join(cache, part), { recursive: true });
    const sources = path.join(cache, 'suites.list');
    writeFileSync(sources, 'deb-src http://deb.debian.org/debian bookworm main\n');
    const own = [
      ...['-o', `Dir::Etc::sourcelist=${sources}`, '-o', 'Dir::Etc::sourceparts=/dev/null'],
      ...['-o', `Dir::State::lists=${path.join(cache, 'lists')}`, '-o', `Dir::Cache=${cache}`],
      ...['-o', 'APT::Sandbox::User=root'],
    ];
    const options = { cwd: cache, signal: AbortSignal.timeout(300_000) };
    await runChecked(['apt-get', ...own, 'update', '--quiet'], options);
    await runChecked(['apt-get', ...own, 'source', '--quiet', '--download-only', 'postgresql-15'], options);
    writeFileSync(isThere, '');
  }
  const archive = readdirSync(cache).find((name) => /^postgresql-15_.*\.orig\.tar\.(bz2|xz|gz)$/.test(name));
  if (archive === undefined) throw new Error(`apt has put no archive into ${cache}`);
  return path.join(cache, archive);
}
