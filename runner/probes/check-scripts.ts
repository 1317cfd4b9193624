import type { Experiment } from '../contract/experiment/schema.ts';
import { validateLoad } from '../places/local/room.ts';
import type { Checker } from './probe.ts';

/** Checks whether this machine's load generator accepts the scripts and options of an experiment. */
export async function checkScripts(
  check: Checker['check'],
  experiment: Experiment,
  where: Parameters<typeof validateLoad>[1],
): Promise<void> {
  await check('scripts', async () => {
    const { version, note } = await validateLoad(experiment, where);
    const detail = version === null ? 'not checked' : `accepted by the programs of PostgreSQL ${version}`;
    return { detail, value: true, notes: note === null ? [] : [note] };
  });
}
