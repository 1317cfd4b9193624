import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dlv, examine, notesOf, option } from '../../helpers/fakes/fake-account.ts';

describe('programs for later', () => {
  it('are named with their use if they are not there', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pgduet-programs-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(path.join(folder, 'aws'), '');
    chmodSync(path.join(folder, 'aws'), 0o755);
    const notes = await notesOf('programs', {}, dlv(), { environment: { PATH: folder } });
    expect(notes).toEqual([expect.stringContaining('session-manager-plugin is not on the PATH')]);
  });
});

describe('every check', () => {
  it('passes with something to say', async () => {
    const outcomes = await examine({ options: [option] });
    expect(outcomes.map(({ name }) => name)).toEqual([
      ...['programs', 'scripts and options of the load', 'Region', 'credentials', 'cdk bootstrap', 'results stack'],
      ...['already deployed', 'bootstrap bucket', 'results key', 'variant without-dlv', 'parameters of without-dlv'],
      ...['variant with-dlv', 'parameters of with-dlv', 'driver', 'zone', 'endpoints', 'EC2 quota', 'VPC quota'],
      ...['endpoint quota', 'RDS quotas', 'certificate authority', 'GuardDuty', 'prices'],
    ]);
    expect(outcomes.filter(({ detail }) => detail === '')).toEqual([]);
  });
});
