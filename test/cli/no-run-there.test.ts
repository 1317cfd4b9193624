import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { saveSample } from '../helpers/samples/saved-sample.ts';
import { project } from '../helpers/synthesize.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'no-run-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(path.join(folder, 'file'), 'x\n');
mkdirSync(path.join(folder, 'empty'));
mkdirSync(path.join(folder, 'locked'));
chmodSync(path.join(folder, 'locked'), 0);
await saveSample(path.join(folder, 'results/quick/one'));
symlinkSync('one', path.join(folder, 'results/quick/latest'));

const places = ['file', 'nowhere', 'file/below', 'empty', ...(process.getuid?.() === 0 ? [] : ['locked'])];
const quick = path.join(project, 'experiments/quick.yaml');
const verbs: Record<string, (place: string) => string[]> = {
  report: (place) => ['report', place],
  verify: (place) => ['verify', place],
  'plan --pilot': (place) => ['plan', quick, '--pilot', place],
};
const run = (words: readonly string[]) => runCommandLine(words, { workingFolder: folder, columns: Infinity });

describe.each(Object.entries(verbs))('%s', (_, words) => {
  it.each(places)('of %s says that it holds no run', async (place) => {
    const { stdout, exitCode } = await run([...words(place), '--json']);
    expect(exitCode).toBe(2);
    const message = expect.stringContaining(path.join(folder, place)) as string;
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'no-run', message } });
  });
});

it.each(['parse', 'compare', 'digest'])('%s of a file that does not exist has the code of a file', async (verb) => {
  const { stdout, exitCode } = await run([verb, 'nowhere.log', ...(verb === 'compare' ? ['file'] : []), '--json']);
  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'file-error' } });
});

describe('a verb that reads a file or a folder', () => {
  it.each([
    ['compare', (place: string) => [place, place]],
    ['digest', (place: string) => [place]],
    ['parse', (place: string) => [place]],
    ['conclude', (place: string) => ['--binding', place]],
    ['preflight', (place: string) => ['--binding', place]],
    ['await-databases', (place: string) => ['--binding', place]],
  ])('%s shows no code of the system', async (verb, words) => {
    for (const place of places) {
      const { stderr, exitCode } = await run([verb, ...words(place)]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(place);
      // The name of the folder may have as many capitals.
      expect(stderr.replaceAll(folder, '')).not.toMatch(/\bE[A-Z]{4,}\b|this is a bug/);
    }
  });
});

describe.each(['report', 'verify', 'compare'])('%s takes for a run', (verb) => {
  it.each(['results/quick/latest', 'results/quick', 'results/quick/one/result.json', 'results/quick/one'])(
    '%s',
    async (place) => {
      const { exitCode, stderr } = await run([verb, place, ...(verb === 'compare' ? [place] : [])]);
      expect(exitCode, stderr).not.toBe(2);
    },
  );
});

it('compare knows a run again, whatever it is called', async () => {
  const compared = (...words: string[]) => run(['compare', ...words, '--json']);
  const own = await compared('results/quick/one', 'results/quick/one');
  expect(own).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await compared('results/quick', 'results/quick/latest/result.json')).toEqual(own);
});

it('clean names a TMPDIR that is none', async () => {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = '/nowhere';
  try {
    const { stderr, exitCode } = await run(['clean']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('TMPDIR is /nowhere');
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
});
