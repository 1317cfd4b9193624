import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const fixtures = path.resolve(import.meta.dirname, '../../fixtures/hammerdb');

/** Recorded output of HammerDB. */
export const recording = (name: string): string => path.join(fixtures, name);
export const recorded = (name: string): string => readFileSync(recording(name), 'utf8');

/** Whether Tcl is here, in which the stand-in is written. CI has it. */
export const hasTcl = (process.env['PATH'] ?? '')
  .split(path.delimiter)
  .some((folder) => existsSync(path.join(folder, 'tclsh')));

export type Misbehaviour = 'hang' | 'exit3' | 'tclerror';

/** What the stand-in replays: names of recorded files, or what it does wrong. */
export interface Scenario {
  version?: string;
  library?: string;
  build?: string;
  check?: string;
  run?: string;
  /** SQL that a build carries out in the database, as the role that builds. */
  statement?: string;
  /** Pattern of recorded lines that are left out. */
  skip?: string;
  lingerMs?: number;
}

/** A folder as HammerDB's, whose program replays what was recorded. It is below the temporary folder of the test. */
export function standIn(scenario: Scenario): string {
  const install = mkdtempSync(path.join(tmpdir(), 'HammerDB-'));
  // It may run as another user, and writes there what it observed.
  chmodSync(install, 0o777);
  const program = path.join(install, 'hammerdbcli');
  copyFileSync(path.join(fixtures, 'stand-in', 'hammerdbcli'), program);
  chmodSync(program, 0o755);
  const words = Object.entries(scenario).map(([key, value]) => {
    const isFile = ['build', 'check', 'run'].includes(key) && String(value).endsWith('.log');
    return `${key} {${isFile ? recording(String(value)) : String(value)}}`;
  });
  writeFileSync(path.join(install, 'scenario'), words.join('\n'));
  return install;
}

/** The statements of a whole build of one warehouse, as far as pgduet looks. */
export const wholeBuild = [
  ...Object.entries({
    warehouse: 'w_id',
    district: 'd_w_id',
    customer: 'c_w_id',
    stock: 's_w_id',
    orders: 'o_w_id',
    history: 'h',
    new_order: 'n',
    order_line: 'l',
    item: 'i',
  }).map(([table, column]) => `CREATE TABLE ${table} (${column} int)`),
  'INSERT INTO warehouse VALUES (1)',
  'INSERT INTO district SELECT 1 FROM generate_series(1, 10)',
  'INSERT INTO item SELECT generate_series(1, 100000)',
  'INSERT INTO customer SELECT 1 FROM generate_series(1, 30000)',
  'INSERT INTO stock SELECT 1 FROM generate_series(1, 100000)',
  'INSERT INTO orders SELECT 1 FROM generate_series(1, 30000)',
  ...['neword', 'payment', 'delivery', 'slev', 'ostat'].map(
    (name) => `CREATE PROCEDURE ${name}(number int) LANGUAGE sql AS 'SELECT 1'`,
  ),
].join('; ');

/**
 * Makes an archive like a release of HammerDB, with the stand-in in it: it builds one warehouse by one user, and runs of a
 * minute, by one user or two, take a minute.
 *
 * @param of.lastsMs how long they take instead
 * @param of.steady whether the counter always says what the result of the run does
 */
export async function standInArchive(
  file: string,
  run: (command: readonly string[]) => Promise<unknown>,
  { lastsMs = 60_000, steady = false }: { lastsMs?: number; steady?: boolean } = {},
): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'release-'));
  const install = path.join(folder, 'HammerDB-6.0');
  mkdirSync(install);
  copyFileSync(path.join(fixtures, 'stand-in', 'hammerdbcli'), path.join(install, 'hammerdbcli'));
  chmodSync(path.join(install, 'hammerdbcli'), 0o755);
  const files = { build: 'v6-build.log', check: 'v6-check.log', run: 'v6-run.log' };
  const oneUserLog = 'v6-np-sweep.log';
  copyFileSync(recording(files.check), path.join(install, files.check));
  const [, tpm = ''] = /from (\d+) PostgreSQL TPM/.exec(recorded(files.run)) ?? [];
  const counter = steady ? `${tpm} PostgreSQL tpm` : '$&';
  writeFileSync(path.join(install, files.run), recorded(files.run).replace(/^[1-9]\d* PostgreSQL tpm/gm, counter));
  // Recorded is a build by two users besides the first.
  const byOne = recorded(files.build).replace(/^Vuser [23]:.*\n/gm, '');
  writeFileSync(path.join(install, files.build), byOne);
  // Recorded are runs over several numbers of users.
  writeFileSync(path.join(install, oneUserLog), recorded(oneUserLog).split(/^SWEEP-END/m)[0] ?? '');
  const scenario = {
    ...files,
    runs: `1 ${oneUserLog} 2 ${files.run}`,
    statement: wholeBuild,
    lastsMs,
  };
  const words = Object.entries(scenario).map(([key, value]) => `${key} {${value}}`);
  writeFileSync(path.join(install, 'scenario'), words.join('\n'));
  await run(['tar', '--create', '--gzip', `--file=${file}`, `--directory=${folder}`, path.basename(install)]);
  rmSync(folder, { recursive: true });
}

/** What the stand-in was asked, a text for each build, check and run. */
export function observed(install: string): string[] {
  const file = path.join(install, 'observed');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

/** Value of a name in such a text. */
export function valueIn(text: string, name: string): string | undefined {
  return new RegExp(`(?:^|[ {])${name} (\\{[^}]*\\}|[^ }]+)`).exec(text)?.[1];
}
