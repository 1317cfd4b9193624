import { cpSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { plannedTrials } from '../../runner/contract/plan.ts';
import { presentResult } from '../../runner/cli/actions/present-result.ts';
import { UserError } from '../../runner/contract/errors.ts';
import { runFolder } from '../../runner/storage/run-folder.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeIo, runCommandLine } from '../helpers/fakes/fake-io.ts';
import { fakeRun, temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { saveSample } from '../helpers/samples/saved-sample.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
const whileReported = vi.hoisted(() => ({ happens: (): void => undefined }));
vi.mock('../../runner/report/html/page.ts', () => ({
  renderPage: () => {
    whileReported.happens();
    return Promise.resolve('<html></html>');
  },
}));
beforeEach(() => server.forget());

/** What takes the place of the run's folder when that has been moved away. */
const inItsPlace: Record<string, (place: string, moved: string) => void> = {
  'an empty folder': (place) => mkdirSync(place),
  'a copy of it': (place, moved) => cpSync(moved, place, { recursive: true }),
  'a link to another folder': (place) => symlinkSync(temporaryFolder(), place),
  'a link to a copy of it': (place, moved) => {
    const copy = path.join(temporaryFolder(), 'copy');
    cpSync(moved, copy, { recursive: true });
    symlinkSync(copy, place);
  },
};

/** Everything in a folder, with what shows that it was written to. */
function stateOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => {
      const { ino, size, mtimeMs } = lstatSync(path.join(folder, name));
      return `${name} ${ino} ${size} ${mtimeMs}`;
    })
    .sort();
}

/** A run whose folder is swapped while its third trial of four is measured. */
function swappedRun(swap: (folder: string, moved: string) => void) {
  const folder = path.join(temporaryFolder(), 'run');
  const moved = `${folder}-moved`;
  mkdirSync(folder);
  let measured = 0;
  const run = fakeRun({
    folder,
    protocol: { blocks: 2, reset: [] },
    generator: {
      measure() {
        measured += 1;
        if (measured === 3) {
          renameSync(folder, moved);
          swap(folder, moved);
        }
        return Promise.resolve({ measures: { tps: 100, transactions: 1000 }, facts: {} });
      },
    },
  });
  return { folder, moved, run };
}

describe('a run whose folder is moved while it measures', () => {
  it.each(Object.entries(inItsPlace))(
    'writes nothing to %s, ends by name, and loses no trial that had ended',
    async (_, lay) => {
      let before: string[] = [];
      const { folder, moved, run } = swappedRun((place, from) => {
        lay(place, from);
        before = stateOf(place);
      });
      const error: unknown = await run.carryOut().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UserError);
      expect(String(error)).toContain(`${folder} is no longer the same folder`);
      expect(stateOf(folder)).toEqual(before);
      expect(run.log.at(-1)).toBe('place closed');

      rmSync(folder, { recursive: true });
      renameSync(moved, folder);
      const planned = plannedTrials(run.execution.plan).map(({ id }) => id);
      const finished = run.stored().trials.filter(({ state }) => state === 'finished');
      expect(finished.map(({ id }) => id)).toEqual(planned.slice(0, 2));
      const result = await run.carryOut({ earlier: run.stored() });
      expect(result?.complete).toBe(true);
      expect(result?.trials.slice(0, 2)).toEqual(finished);
    },
  );

  it('is named where the folder is gone', async () => {
    const { folder, moved, run } = swappedRun(() => undefined);
    await expect(run.carryOut()).rejects.toThrow(`${folder} is no longer the same folder`);
    expect(readdirSync(path.dirname(folder))).toEqual([path.basename(moved)]);
  });
});

describe('a report of a folder that is swapped while it is made', () => {
  it.each(Object.entries(inItsPlace))('writes nothing to %s, and ends by name', async (_, lay) => {
    const parent = temporaryFolder();
    const [folder, moved] = [path.join(parent, 'run'), path.join(parent, 'moved')];
    await saveSample(folder, { blocks: 2, trialSeconds: 5 });
    let before: string[] = [];
    whileReported.happens = () => {
      renameSync(folder, moved);
      lay(folder, moved);
      before = stateOf(folder);
    };
    const { exitCode, stderr } = await runCommandLine(['report', 'run'], { workingFolder: parent, columns: 500 });
    expect(stderr).toContain(`${folder} is no longer the same folder`);
    expect(exitCode).toBe(2);
    expect(stateOf(folder)).toEqual(before);
  });

  it('at the end of a run does the same', async () => {
    const parent = temporaryFolder();
    const [folder, moved] = [path.join(parent, 'run'), path.join(parent, 'moved')];
    const result = await saveSample(folder, { blocks: 2, trialSeconds: 5 });
    const store = runFolder(folder, folder);
    whileReported.happens = () => {
      renameSync(folder, moved);
      mkdirSync(folder);
    };
    const presented = presentResult(result, store, {}, fakeIo().io);
    await expect(presented).rejects.toThrow(`${folder} is no longer the same folder`);
    expect(readdirSync(folder)).toEqual([]);
  });
});
