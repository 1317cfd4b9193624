import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { presentResult } from '../../runner/cli/actions/present-result.ts';
import { stopReason } from '../../runner/contract/stop.ts';
import { prepareRun } from '../../runner/cli/actions/prepare-run.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { UserError } from '../../runner/contract/errors.ts';
import type { Result } from '../../runner/contract/result.ts';
import { runFolder } from '../../runner/storage/run-folder.ts';
import { fakeIo, type Printed } from '../helpers/fakes/fake-io.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

/** What `load-run --blind` shows at its end of a run that measured six blocks of so many. */
async function presented(
  planned: number,
  { json, ...end }: { json?: true } & Partial<Result> = {},
): Promise<Printed & { folder: string }> {
  const result = { ...(await sampleResult({ blocks: 6 })), ...end };
  result.experiment.definition.protocol.blocks = planned;
  const folder = temporaryFolder();
  const { io, printed } = fakeIo();
  await presentResult(result, runFolder(folder, folder), { blind: true, ...(json && { json }) }, io);
  return { ...printed(), folder };
}

describe('a blind run', () => {
  it.each([{}, { json: true as const }])(
    'that was cut off shows no result and makes no report, given %j',
    async (options) => {
      const { stdout, stderr, exitCode, folder } = await presented(8, options);
      expect(stdout).toBe('');
      expect(stderr.replaceAll(/\s+/g, ' ').trim()).toBe(
        `The run is not complete, so its figures stay hidden (--blind). Continue it with --resume --blind, or show the figures with: npx --no-install pgduet report ${folder}`,
      );
      expect(exitCode).toBe(1);
      expect(existsSync(path.join(folder, 'report.html'))).toBe(false);
    },
  );

  it.each([
    ['came to its planned end', 6, {}],
    [
      'was ended by a limit, which nobody chose',
      8,
      { stoppedBy: stopReason('limit-reached', 'Stopped by limits.hours: 1') },
    ],
  ])('that %s shows its result', async (_, planned, end) => {
    const { stdout, folder } = await presented(planned, end);
    expect(stdout).toContain('% faster');
    expect(existsSync(path.join(folder, 'report.html'))).toBe(true);
  });

  it('is refused where the time of a trial is its figure', async () => {
    const prepare = (workload: object): Promise<unknown> => {
      const { durationSeconds: _, ...untimed } = smallExperiment().workload;
      const folder = folderWithExperiment('small', {
        ...smallExperiment(),
        common: { storage: { type: 'local' } },
        workload: { ...untimed, ...workload },
      });
      const loaded = loadExperiment('small', { folder });
      return prepareRun(
        loaded,
        { out: 'results', blind: true, consent: {}, beginning: { more: '' } },
        null,
        fakeIo({ workingFolder: folder }).io,
      );
    };
    await expect(prepare({ transactions: 1000 })).rejects.toThrow(UserError);
    await expect(prepare({ transactions: 1000 })).rejects.toThrow(
      /^--blind: with a fixed number of transactions, trial times/,
    );
    expect(await prepare({ durationSeconds: 10 })).not.toBeNull();
  });
});
