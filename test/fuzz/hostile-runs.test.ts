import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { saveSample } from '../helpers/samples/saved-sample.ts';
import { repeats } from '../helpers/repeats.ts';
import { change, damaged } from './damage.ts';

let parent: string;
let whole: string;
let run: string;
beforeAll(async () => {
  parent = mkdtempSync(path.join(tmpdir(), 'pgduet-hostile-runs-'));
  [whole, run] = [path.join(parent, 'whole'), path.join(parent, 'run')];
  await saveSample(whole, { blocks: 3, failedTrial: { block: 2, variant: 'with-log-volume' } });
  const step = { step: 'load', startedAt: '2026-11-21T06:00:00.000Z', endedAt: '2026-11-21T06:01:00.000Z' };
  writeFileSync(path.join(whole, 'steps.jsonl'), `${JSON.stringify(step)}\n${JSON.stringify(step)}\n`);
});
afterAll(() => rmSync(parent, { recursive: true }));

const trial = 'trials/block-01-1-without-log-volume';

/** Damages one file of a run, reads the run, and judges what was said. */
async function readDamaged(file: string, content: string | Buffer, command: 'compare' | 'report'): Promise<void> {
  rmSync(run, { recursive: true, force: true });
  cpSync(whole, run, { recursive: true });
  // With a result, nobody looks at the files that it was made of.
  if (file !== 'result.json' && !file.endsWith('.parquet')) rmSync(path.join(run, 'result.json'));
  // What is not as it says is refused before it is read.
  rmSync(path.join(run, 'SHA256SUMS'));
  mkdirSync(path.dirname(path.join(run, file)), { recursive: true });
  writeFileSync(path.join(run, file), content);
  const words = command === 'compare' ? ['compare', whole, run] : ['report', run];
  const { exitCode, stdout, stderr } = await runCommandLine(words, { workingFolder: parent });
  expect({ exitCode, stderr }).toEqual({ exitCode: expect.toBeOneOf([0, 2]) as number, stderr });
  expect(exitCode === 0 || stderr.trim() !== '').toBe(true);
  expect(stdout).not.toMatch(noFigure);
  const page = path.join(run, 'report.md');
  if (existsSync(page)) expect(readFileSync(page, 'utf8')).not.toMatch(noFigure);
}

/** As a cell or a figure; in the words of a file it may stand. */
const noFigure = /(^|[\s|+(-])(NaN|-?Infinity|undefined|∞)(?=$|[\s|%×),])/m;

const command = fc.constantFrom('compare' as const, 'report' as const);
const bytes = fc.oneof(
  fc.string().map((text) => Buffer.from(text)),
  fc.json().map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
  fc
    .constantFrom(
      ...['', '\0', '[]', 'null', '{"__proto__": {"kind": "pgduet-result"}}', '\ufeff{}', '1e999', '"\\ud800"'],
      ...[`${'['.repeat(200_000)}${']'.repeat(200_000)}`, `{"a":`.repeat(100_000), `{}\n`.repeat(1000)],
    )
    .map((text) => Buffer.from(text)),
);

describe('whatever a file of a run holds, the run is read or refused', () => {
  it.each(['result.json', 'run.json', `${trial}/trial.json`, 'steps.jsonl'])(
    'with changes in %s',
    { timeout: 300_000 },
    async (file) => {
      const lines = readFileSync(path.join(whole, file), 'utf8').trimEnd();
      const contents = (file.endsWith('.jsonl') ? lines.split('\n') : [lines]).map(
        (text) => JSON.parse(text) as unknown,
      );
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), command, async (changes, how) => {
          const texts = contents.map((content) => JSON.stringify(damaged(content, changes)));
          await readDamaged(file, `${texts.join('\n')}\n`, how);
        }),
        // Seen: a share that is a number, and its percentage is none.
        { numRuns: repeats(60, 0.25), examples: [[[{ at: 327092966, to: 1e308 }], 'report']] },
      );
    },
  );

  it.each([
    'result.json',
    'run.json',
    `${trial}/trial.json`,
    `${trial}/later/waits.json`,
    'steps.jsonl',
    `${trial}/series.parquet`,
  ])('with anything in place of %s', { timeout: 300_000 }, async (file) => {
    await fc.assert(
      fc.asyncProperty(bytes, command, (content, how) => readDamaged(file, content, how)),
      { numRuns: repeats(60, 0.25) },
    );
  });

  it('with bytes changed, cut off or repeated in a series', { timeout: 300_000 }, async () => {
    const file = `${trial}/series.parquet`;
    const series = readFileSync(path.join(whole, file));
    const place = fc.nat(series.length - 1);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(place, fc.nat(255)), { maxLength: 4 }),
        place,
        fc.boolean(),
        async (changes, end, cut) => {
          const changed = Buffer.from(series);
          for (const [at, byte] of changes) changed[at] = byte;
          await readDamaged(file, cut ? changed.subarray(0, end) : changed, 'report');
        },
      ),
      // Seen: a name that the dictionary of the damaged file does not have.
      { numRuns: repeats(60, 0.25), examples: [[[[368, 6]], 0, false]] },
    );
  });
});
