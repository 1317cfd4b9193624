import { availableParallelism } from 'node:os';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { removeTree } from '../../files/change.ts';
import { toolLevels } from '../../experiment/plan/levels.ts';
import { oneServerExperiment } from '../../experiment/one-server.ts';
import { opener } from '../../places/local/open.ts';
import { targetAt } from '../../places/place.ts';
import { makeOwnedFolder } from '../../process/owned-folder.ts';
import { toolOf } from '../../workloads/registry.ts';
import type { Found } from '../probe.ts';

/** Also the name of the one variant of the server that is started for it. */
const server = 'doctor';

/** The least that a server can be asked. An empty script would be many times as fast as any statement. */
const statement = 'SELECT 1';

/**
 * Measures how many statements the load generator gets through here where they are no work: with the most clients of the
 * experiment, or with two for each processor. A small server is started for it, which shares the processors, as in a run here.
 *
 * @param question.scriptFolder where the experiment's scripts are
 * @throws {UserError} if no server can be started here, or the generator does not run
 */
export async function findCeiling(
  experiment: Experiment | undefined,
  question: {
    scriptFolder: string;
    pgBindir: readonly string[] | undefined;
    environment: Readonly<Record<string, string | undefined>>;
    signal: AbortSignal;
  },
): Promise<Found<number | null>> {
  const processors = availableParallelism();
  const small = smallExperiment({ clients: 2 * processors, threads: processors });
  const { workload, collect } = experiment ?? small;
  const tool = toolOf(workload);
  const [most] = toolLevels({ workload })
    .map((level) => tool.atLevel(workload, level))
    .sort((one, other) => tool.shape(other).clients - tool.shape(one).clients);
  if (!most) throw new Error('the workload has no level');
  const say = (): void => undefined;
  const { programs, open } = await opener.prepare(small, {
    ...question,
    clients: tool.shape(most).clients,
    volumes: 'folders',
    kept: false,
    say,
  });
  const { path: folder } = makeOwnedFolder();
  const place = await open();
  try {
    const generator = await tool.open({ ...question, programs, workload: most, collect });
    if (!generator.ceiling) return { detail: `${tool.name} cannot be measured without its server`, value: null };
    const tps = await generator.ceiling(targetAt(place, { variant: server }), { ...question, folder, statement });
    const { clients } = tool.shape(most);
    const shown = `${Math.round(tps).toLocaleString('en')} times ${statement} a second with ${clients} client${clients === 1 ? '' : 's'}`;
    return {
      detail: `${shown}; a load of more than half as many statements a second measures this machine`,
      value: tps,
    };
  } finally {
    await place.close({ keep: false });
    removeTree(folder);
  }
}

/** One server, and a workload for those who have none. */
function smallExperiment(load: { clients: number; threads: number }): Experiment {
  const variant = { storage: { type: 'local' }, engine: { parameters: { shared_buffers: '16MB', fsync: 'off' } } };
  return oneServerExperiment(server, {
    name: server,
    question: 'What is the load generator itself capable of?',
    variant,
    workload: { tool: 'pgbench', scale: 1, durationSeconds: 1, ...load },
    protocol: { seed: 1 },
  });
}
