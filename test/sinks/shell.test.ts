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

const isControl = (character: string): boolean => character < ' ' || character === '\u007f';

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
      creationUrl: `h${value}`,
    });
    writeFileSync(path.join(folder, 'user-data.sh'), script);
    expect(bash('bash -n user-data.sh')).toEqual({ stdout: '', stderr: '' });
    // Only the lines that hold values are carried out; what follows them is the same for everybody.
    const values = script.slice(0, script.indexOf('# Everything above'));
    const print =
      'printf "%s\\0" "$region" "$parameter" "$boot_url" "$wait_url" "$databases_parameter" "$provision_url" "$creation_url" "${packages[@]}" "${programs[@]}"';
    const { stdout, stderr } = bash(`${values}\n${print}`);
    expect(stderr).toBe('');
    expect(new Set(stdout.split('\0'))).toEqual(
      new Set([
        ...[value, ...Array.from('abcdefgh', (prefix) => prefix + value), ''],
        ...['jq', 'nodejs22', 'unzip', 'node'],
      ]),
    );
    expect(readdirSync(folder)).toEqual(['user-data.sh']);
  });

  it('stay values in what it tells CloudFormation, which needs no program that must be installed first', () => {
    const text = readFileSync(path.join(driver, 'user-data.sh'), 'utf8');
    const signal = /^signal\(\) \{\n.*?^\}/ms.exec(text)?.[0] ?? '';
    expect(signal).toContain('curl');
    const reason = `${value}\n"quoted" \\ \\" %s ’ü\u0007`;
    writeFileSync(path.join(folder, 'reason'), reason);
    writeFileSync(path.join(folder, 'curl'), '#!/bin/sh\ncat >&3\n', { mode: 0o755 });
    const programs = 'PATH=$PWD:/usr/bin:/bin; jq() { exit 1; }; signal_url=none';
    bash(`export LC_ALL=C.UTF-8; ${programs}; ${signal}\nsignal FAILURE "$(cat reason)" 3>told`);
    const reported = JSON.parse(readFileSync(path.join(folder, 'told'), 'utf8')) as Record<string, string>;
    expect(reported).toMatchObject({ Status: 'FAILURE', UniqueId: 'driver' });
    expect(reported['Reason']?.trimEnd()).toBe(
      Array.from(reason, (one) => (isControl(one) ? ' ' : one))
        .join('')
        .trimEnd(),
    );
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
