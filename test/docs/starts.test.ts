import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { textWithMarked } from '../../bench/document.ts';
import { disagreements, startsSchema } from '../../scripts/starts/document.ts';
import { keepStarts } from '../../scripts/starts/keep-starts.ts';
import { tableOf } from '../../scripts/starts/table.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { saveResult } from '../helpers/samples/saved-sample.ts';

const documents = fileURLToPath(new URL('../../docs/reference', import.meta.url));

/** Files of starts below a folder of documents, and what is wrong with them. */
async function wrongIn(docs: string): Promise<string[]> {
  const folder = path.join(docs, 'starts');
  const document = path.join(docs, 'starts.md');
  const wrong: string[] = [];
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const starts = startsSchema.parse(JSON.parse(readFileSync(path.join(folder, name), 'utf8')));
    wrong.push(...disagreements(starts));
    const text = readFileSync(document, 'utf8');
    if ((await textWithMarked(text, `starts:${starts.experiment}`, tableOf(starts), document)) !== text) {
      wrong.push(`starts.md has another table of ${starts.experiment}`);
    }
  }
  return wrong;
}

test('the documented starts have the intervals that their blocks give, and the tables that they make', async () => {
  expect(await wrongIn(documents)).toEqual([]);
});

describe('npm run starts', () => {
  async function kept(): Promise<{ docs: string; file: string; folders: string[] }> {
    const folder = temporaryFolder();
    const docs = path.join(folder, 'docs');
    mkdirSync(docs, { recursive: true });
    cpSync(path.join(documents, 'starts.md'), path.join(docs, 'starts.md'));
    const folders: string[] = [];
    for (const day of [1, 2, 3]) {
      const result = await sampleResult({ seed: day });
      folders.push(path.join(folder, `quick/2026-11-0${day}`));
      await saveResult(folders.at(-1) ?? '', { ...result, startedAt: `2026-11-0${day}T06:28:18.000Z` });
    }
    await keepStarts(['quick', ...[...folders].reverse()], docs);
    return { docs, file: path.join(docs, 'starts/quick.json'), folders };
  }

  test('keeps the blocks of each start, from the oldest, and a table of them', async () => {
    const { docs, file } = await kept();
    expect(await wrongIn(docs)).toEqual([]);
    const starts = startsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    expect(starts.starts.map(({ startedAt }) => startedAt.slice(8, 10))).toEqual(['01', '02', '03']);
    expect(starts.starts.map(({ comparisons }) => comparisons.map(({ blocks }) => blocks.length))).toEqual([
      [6],
      [6],
      [6],
    ]);
    const text = readFileSync(path.join(docs, 'starts.md'), 'utf8');
    expect(text).toMatch(/\| +2026-11-02 06:28 \| \+3\d\.\d% \(\d+% to \d+%\), better/);
    expect(text).toMatch(/\| +the next run, with its probability \| \d+% to \d+%, 50%/);
  });

  test('finds a block that does not give the interval, and a table that is not that of the blocks', async () => {
    const { docs, file } = await kept();
    const text = readFileSync(file, 'utf8');
    const [value = ''] = /(?<=\[\s*)\d{3,}\.\d+/.exec(text) ?? [];
    writeFileSync(file, text.replace(value, String(Number(value) * 1.1)));
    const wrong = await wrongIn(docs);
    expect(wrong.join()).toContain('its blocks lead to another change or interval');
    writeFileSync(file, text.replace('2026-11-02T', '2026-11-12T'));
    expect(await wrongIn(docs)).toEqual(['starts.md has another table of quick']);
  });

  test('keeps a start with an unknown block, whose interval follows from it and the known blocks', async () => {
    const folder = temporaryFolder();
    const docs = path.join(folder, 'docs');
    mkdirSync(docs, { recursive: true });
    cpSync(path.join(documents, 'starts.md'), path.join(docs, 'starts.md'));
    const result = await sampleResult({ blocks: 14, failedTrial: { block: 2, variant: 'with-log-volume' } });
    await saveResult(path.join(folder, 'quick/1'), result);
    await keepStarts(['quick', path.join(folder, 'quick/1')], docs);
    expect(await wrongIn(docs)).toEqual([]);
    const starts = startsSchema.parse(JSON.parse(readFileSync(path.join(docs, 'starts/quick.json'), 'utf8')));
    expect(starts.starts[0]?.comparisons[0]).toMatchObject({ unknownPairs: 1, verdict: 'better' });
  });

  test('refuses starts of several experiments', async () => {
    const { docs, folders } = await kept();
    const other = await sampleResult({ seed: 4 });
    const folder = path.join(docs, 'other');
    await saveResult(folder, { ...other, experiment: { ...other.experiment, profile: 'smoke' } });
    await expect(keepStarts(['quick', ...folders, folder], docs)).rejects.toThrow(
      'These are not starts of one experiment: profile is local and smoke.',
    );
    await expect(keepStarts(['other', ...folders], docs)).rejects.toThrow('These are starts of quick, not of other.');
  });
});
