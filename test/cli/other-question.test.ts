import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Plan } from '../../runner/contract/plan.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';

const project = path.resolve(import.meta.dirname, '../..');
const logVolume = 'Is PostgreSQL faster when WAL has its own volume?';

/** What a run on this machine would do. */
async function planned(...words: string[]) {
  return plannedBy(['load-run', 'quick', '--local', '--dry-run', '--json', ...words]);
}

async function plannedBy(command: readonly string[]) {
  const { stdout, stderr, exitCode } = await runCommandLine([...command], { workingFolder: project });
  expect(exitCode, stderr).toBe(0);
  return { plan: JSON.parse(stdout) as Plan, stderr: stderr.replaceAll(/\s+/g, ' ') };
}

describe('a run on a machine that cannot limit volumes', () => {
  afterEach(() => vi.restoreAllMocks());

  test.runIf(process.platform === 'linux')(
    'asks what plain folders can answer, and first names the other question and what it takes',
    async () => {
      vi.spyOn(process, 'getuid').mockReturnValue(1000);
      const { plan, stderr } = await planned();
      expect(plan).toMatchObject({ profile: 'folders', baseline: 'commits-wait' });
      expect(plan.question).not.toBe(logVolume);
      expect(stderr).toMatch(/^quick runs with profile folders.*: “How much faster/);
      expect(stderr).toContain(`“${logVolume}”, needs IOPS-limited volumes, but limited IOPS need root`);
      expect(plan.warnings.map(({ message }) => message).join(' ')).toContain(logVolume);
    },
  );

  test('asks the same if the user wants plain folders', async () => {
    const { plan, stderr } = await planned('--volumes', 'folders');
    expect(plan.profile).toBe('folders');
    expect((await plannedBy(['plan', 'quick', '--json', '--volumes', 'folders'])).plan.profile).toBe('folders');
    expect(stderr).toContain('Omit that option');
  });

  test('asks what the user names, or what limited volumes were asked for', async () => {
    vi.spyOn(process, 'getuid').mockReturnValue(1000);
    expect(await planned('--profile', 'local')).toMatchObject({ plan: { question: logVolume }, stderr: '' });
    expect(await planned('--volumes', 'limited')).toMatchObject({ plan: { question: logVolume }, stderr: '' });
  });
});
