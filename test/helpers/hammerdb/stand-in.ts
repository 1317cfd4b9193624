import { chmodSync, copyFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const fixtures = path.resolve(import.meta.dirname, '../../fixtures/hammerdb');

/** Recorded output of HammerDB. */
export const recording = (name: string): string => path.join(fixtures, name);
export const recorded = (name: string): string => readFileSync(recording(name), 'utf8');

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

/** What the stand-in was asked, a text for each build, check and run. */
export function observed(install: string): string[] {
  const file = path.join(install, 'observed');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

/** Value of a name in such a text. */
export function valueIn(text: string, name: string): string | undefined {
  return new RegExp(`(?:^|[ {])${name} (\\{[^}]*\\}|[^ }]+)`).exec(text)?.[1];
}
