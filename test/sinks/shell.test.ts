import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { userData } from '../../lib/constructs/user-data.ts';
import { hostile } from './hostile.ts';

const driver = path.resolve(import.meta.dirname, '../../lib/driver');
/** No file, environment or argument holds a NUL; a line end is as good as any other character. */
const value = `${hostile}\n$(touch owned)\n`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pgduet-shell-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function bash(script: string): { stdout: string; stderr: string } {
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' });
  return { stdout, stderr };
}

describe('hostile values in the shell of a driver', () => {
  it('stay values in its user data', () => {
    const script = userData({
      region: value,
      bindingParameter: `a${value}`,
      bootUrl: `b${value}`,
      waitUrl: `c${value}`,
      packages: [`d${value}`],
      programs: [`e${value}`],
      databasesParameter: `f${value}`,
      provisionUrl: `g${value}`,
    });
    writeFileSync(path.join(folder, 'user-data.sh'), script);
    expect(bash('bash -n user-data.sh')).toEqual({ stdout: '', stderr: '' });
    // Only the lines that hold values are carried out; what follows them is the same for everybody.
    const values = script.slice(0, script.indexOf('# Everything above'));
    const print = 'printf "%s\\0" "$region" "$parameter" "$boot_url" "$wait_url" "$databases_parameter" "$provision_url" "${packages[@]}" "${programs[@]}"';
    const { stdout, stderr } = bash(`${values}\n${print}`);
    expect(stderr).toBe('');
    expect(new Set(stdout.split('\0'))).toEqual(
      new Set([
        ...[value, ...[...'abcdefg'].map((prefix) => prefix + value), ''],
        ...['jq', 'nodejs22', 'unzip', 'node'],
      ]),
    );
    expect(readdirSync(folder)).toEqual(['user-data.sh']);
  });

  it('stay values in the environment that the launcher and the update source', () => {
    const begin = readFileSync(path.join(driver, 'begin.sh'), 'utf8');
    const writing = /^\{\n.*?^\} >\/etc\/pgduet\/environment$/ms.exec(begin)?.[0];
    expect(writing).toBeDefined();
    const environment = path.join(folder, 'environment');
    writeFileSync(path.join(folder, 'value'), value);
    const read = 'region=$(cat value; printf x); region=${region%x}; parameter=a$region';
    bash(`databases_parameter=d; ${read}\n${(writing ?? '').replace('/etc/pgduet/environment', environment)}`);
    const { stdout } = bash('set -eu; . ./environment; printf "%s\\0" "$AWS_REGION" "$BINDING_PARAMETER" "$PGSSLMODE"');
    expect(stdout.split('\0')).toEqual([value, `a${value}`, 'verify-full', '']);
    expect(existsSync(path.join(folder, 'owned'))).toBe(false);
  });
});
