import { createHash } from 'node:crypto';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeDriver, namesAskedOfAny } from '../../runner/run/driver.ts';
import type { RunInputs } from '../../runner/run/inputs.ts';
import { fakeRun, temporaryFolder } from '../helpers/fakes/fake-run.ts';

/** What the driver knows of a run that loads a dump. */
function driverWith(
  file: string,
  {
    sizeBytes = 0,
    signal = new AbortController().signal,
    ...inputs
  }: { sizeBytes?: number; signal?: AbortSignal } & Partial<RunInputs>,
) {
  const dump = path.join(path.dirname(file), 'app.dump');
  writeFileSync(dump, 'dump\n');
  writeFileSync(path.join(path.dirname(file), 'mix.sql'), 'SELECT 1;\n');
  if (sizeBytes > 0) truncateSync(dump, sizeBytes);
  const { experiment } = fakeRun({
    workload: { tool: 'own-data', scale: undefined, load: { dump: 'app.dump' }, scripts: [{ file: 'mix.sql' }] },
  }).execution;
  // No program is there: the files come first.
  return describeDriver(experiment, { programs: '/nonexistent', folder: '/' }, { file, text: '', ...inputs }, signal);
}

describe('the files of a run', () => {
  it('are refused where the run that is repeated had loaded another one', async () => {
    const file = path.join(temporaryFolder(), 'made-up.yaml');
    const sha256 = createHash('sha256').update('dump\n').digest('hex');
    await expect(driverWith(file, { filesOfRun: { 'app.dump': sha256 } })).rejects.not.toThrow('app.dump');
    await expect(
      driverWith(file, {
        filesOfRun: { 'app.dump': '0', 'mix.sql': 'b4e0497804e46e0a0b0b8c31975b062152d551bac49c3c2e80932567b4085dcd' },
      }),
    ).rejects.toThrow(
      `${path.join(path.dirname(file), 'app.dump')} differs from the file of the repeated run: its SHA-256 differs from the one in run.json`,
    );
  });

  it('are refused where one of somebody else was changed after the user agreed, also if it is only included', async () => {
    const file = path.join(temporaryFolder(), 'made-up.yaml');
    const included = path.join(path.dirname(file), 'included.sql');
    writeFileSync(included, 'SELECT 1;\n');
    const agreed = {
      'app.dump': createHash('sha256').update('dump\n').digest('hex'),
      'mix.sql': createHash('sha256').update('SELECT 1;\n').digest('hex'),
      [included]: createHash('sha256').update('SELECT 1;\n').digest('hex'),
    };
    await expect(driverWith(file, { agreed })).rejects.not.toThrow('was changed');
    writeFileSync(included, 'SELECT 2;\n');
    await expect(driverWith(file, { agreed })).rejects.toThrow(`${included} changed after you agreed to run it`);
    await expect(driverWith(file, { agreed: { 'mix.sql': '0' } })).rejects.toThrow(
      `${path.join(path.dirname(file), 'mix.sql')} changed after you agreed to run it`,
    );
  });

  it('may be huge: an interruption is heard at once', async () => {
    const folder = temporaryFolder();
    const interruption = new AbortController();
    const described = driverWith(path.join(folder, 'made-up.yaml'), {
      sizeBytes: 20e9,
      signal: interruption.signal,
    });
    let interruptedAt = 0;
    setTimeout(() => {
      interruptedAt = performance.now();
      interruption.abort(new Error('interrupted by SIGINT'));
    }, 200);
    const startedAt = performance.now();
    await expect(described).rejects.toThrow('interrupted by SIGINT');
    expect(interruptedAt - startedAt).toBeLessThan(5000);
    expect(performance.now() - interruptedAt).toBeLessThan(5000);
    rmSync(path.join(folder, 'app.dump'));
  });
});

it('asks every server for the settings that any variant sets, since one that does not has a default', () => {
  const asked = (parameters: Record<string, string>) => ({ asked: { parameters, version: null } });
  expect(namesAskedOfAny([asked({ jit: 'on' }), asked({ jit: 'off', work_mem: '4MB' })])).toEqual(['jit', 'work_mem']);
});
