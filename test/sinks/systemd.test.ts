import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const driver = path.resolve(import.meta.dirname, '../../lib/driver');
/** Units, and the settings that several of them share. */
const units = readdirSync(path.join(driver, 'units'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(service|timer|conf)$/.test(name))
  .map((name) => path.join('units', name));
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('the units of a driver', () => {
  it.each(units)('hold nothing that an experiment, an owner or a deploy says: %s', (unit) => {
    const text = readFileSync(path.join(driver, unit), 'utf8');
    const settings = text.split('\n').filter((line) => !line.startsWith('#'));
    // A specifier, a variable or another file is where a value could come in.
    expect(settings.filter((line) => /%|\$|^(EnvironmentFile|PassEnvironment|Environment)=/.test(line))).toEqual([]);
  });

  it('are installed as they are: nothing writes into them', () => {
    for (const script of ['begin.sh', 'update.sh', 'user-data.sh']) {
      const text = readFileSync(path.join(driver, script), 'utf8');
      const lines = text.split('\n').filter((line) => line.includes('/etc/systemd/'));
      for (const line of lines) expect(line.trim()).toMatch(/^(rm -rf |cp --recursive |systemd-analyze verify )/);
    }
  });

  it.skipIf(!hasSystemd)('are what systemd understands', () => {
    const files = units.filter((name) => !name.endsWith('.conf')).map((name) => path.join(driver, name));
    const { stderr } = spawnSync('systemd-analyze', ['verify', ...files], { encoding: 'utf8' });
    // The programs are on the driver only.
    const words = stderr.split('\n').filter((line) => line !== '' && !/not executable|Failed to|not found/.test(line));
    expect(words).toEqual([]);
  });
});
