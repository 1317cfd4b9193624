import type { Result } from '../contract/result.ts';
import type { Trial } from '../contract/trial.ts';
import { makeFolder } from '../files/change.ts';
import { demandOwnWay } from '../files/own-way.ts';
import { runFolder } from './run-folder.ts';
import type { SeriesSource } from './series.ts';

/**
 * Writes a result with the series of its trials into a folder, where `pgduet report` and others find everything that they
 * read.
 *
 * @throws {UserError} if another user could lead what is written there elsewhere
 */
export async function copyRun(result: Result, series: SeriesSource, folder: string): Promise<void> {
  const remedy = 'work in another folder';
  demandOwnWay(folder, remedy);
  makeFolder(folder);
  demandOwnWay(folder, remedy);
  const store = runFolder(folder, folder);
  const trials: Trial[] = [];
  for (const trial of result.trials) {
    const rows = [...(await series.read(trial))].flatMap(([name, points]) =>
      points.map((point) => ({ name, ...point })),
    );
    // What was found later is part of the trial now, also its series.
    trials.push(await store.saveTrial(trial, rows));
  }
  // The result comes last, so that an incomplete copy has none.
  await store.saveResult({ ...result, trials });
}
