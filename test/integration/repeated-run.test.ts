import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Result } from '../../runner/contract/result.ts';
import { sealAgain } from '../helpers/samples/sealed-sample.ts';
import { oneBlock, onFolders, tinyRun, TinyRun } from '../helpers/processes/tiny-run.ts';

const script = 'SELECT abalance FROM pgbench_accounts WHERE aid = 1;\n';
const experiment = {
  ...oneBlock,
  workload: { ...oneBlock.workload, durationSeconds: 1, scripts: [{ file: '../scripts/read.sql' }] },
  protocol: { ...oneBlock.protocol, warmUpSeconds: 0 },
};

/** Contents of all files below a folder, by their names. */
function contentsOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => path.join(parentPath, name)).sort();
  return Object.fromEntries(paths.map((file) => [path.relative(folder, file), readFileSync(file, 'utf8')]));
}

/** Puts the run into a folder of another place, whose user has made it: nothing asks whether to run it. */
function send(to: TinyRun): string {
  const sent = path.join(to.folder, 'sent');
  cpSync(kept, sent, { recursive: true });
  cpSync(path.join(first.temporary, '.local'), path.join(to.temporary, '.local'), { recursive: true });
  return sent;
}

/** The folder of a run whose files were changed while it measured. */
const first = new TinyRun();
const kept = path.join(first.folder, 'kept');
beforeAll(async () => {
  first.define(experiment);
  const scriptFile = path.join(first.folder, 'scripts/read.sql');
  mkdirSync(path.dirname(scriptFile));
  writeFileSync(scriptFile, script);
  const run = first.run('load-run', 'tiny', ...onFolders);
  await run.shown('trial 1 of 2');
  // Each transaction of this one takes a second.
  writeFileSync(scriptFile, 'SELECT pg_sleep(1);\n');
  first.define({ ...experiment, question: 'Another one?' });
  expect((await run.ended).exitCode).toBe(0);
  cpSync(path.join(first.folder, 'results/tiny/latest/'), kept, { recursive: true, dereference: true });
  // Nothing is there any more where it was.
  rmSync(path.join(first.folder, 'results'), { recursive: true });
});
afterAll(() => first.remove());

test('a run works with its own copy of its files, and is repeated from its folder alone, byte for byte', async () => {
  const elsewhere = tinyRun();
  const before = JSON.parse(readFileSync(path.join(kept, 'result.json'), 'utf8')) as Result;
  expect(before.trials).toHaveLength(2);
  // At most two with the script that was put there later.
  for (const { measures } of before.trials) expect(measures['tps']).toBeGreaterThan(5);

  const sent = send(elsewhere);
  const again = await elsewhere.run('load-run', './sent', '--local').ended;
  expect(again.exitCode, again.stderr).toBe(0);
  // As root, this machine would make limited ones.
  expect(elsewhere.result().place).toMatchObject({ volumesKind: 'folders' });
  expect(again.stderr).toContain('Using the same volumes as the original run: --volumes folders.');
  const { seed, definition, profile } = elsewhere.result().experiment;
  expect({ seed, definition, profile }).toEqual({
    seed: before.experiment.seed,
    definition: before.experiment.definition,
    profile: 'local',
  });
  const inputs = contentsOf(path.join(sent, 'inputs'));
  expect(Object.keys(inputs)).toEqual(['files/experiments/tiny.yaml', 'files/scripts/read.sql', 'plan.json']);
  expect(contentsOf(path.join(elsewhere.folder, 'results/tiny/latest/inputs'))).toEqual(inputs);
  // The link leads to the new run as soon as that begins.
  const third = elsewhere.run('load-run', 'results/tiny/latest', '--local', '--volumes', 'auto', '-v');
  await third.shown('loaded two');
  third.process.kill('SIGINT');
  expect((await third.ended).text).toContain('warning: the original run used --volumes folders, this one uses auto');
  expect(contentsOf(path.join(elsewhere.folder, 'results/tiny/latest/inputs'))).toEqual(inputs);
});

test('a run is refused where this machine cannot make the volumes that it had', async () => {
  // The name of a socket has no room for it.
  const tiny = tinyRun('t'.repeat(100));
  const sent = send(tiny);
  const record = path.join(sent, 'run.json');
  writeFileSync(record, readFileSync(record, 'utf8').replace('"volumesKind": "folders"', '"volumesKind": "limited"'));
  sealAgain(path.dirname(record));
  const { text, exitCode } = await tiny.run('load-run', './sent', '--local').ended;
  expect(text).toMatch(
    /Using the same volumes as the original run: --volumes limited\. .*pgduet: --volumes limited: .*, or use --volumes folders/,
  );
  expect(exitCode).toBe(2);
});
