import path from 'node:path';
import { connectionString } from '../../../postgres/client-connection.ts';
import type { Target } from '../../../postgres/target.ts';
import { runCommand } from '../../../process/run-command.ts';
import type { GeneratorOptions, LoadGenerator } from '../../tool.ts';
import { runArguments } from '../arguments.ts';
import { clientEnvironment } from '../client-environment.ts';
import type { PgbenchScript, PgbenchWorkload } from '../schema.ts';
import { contentsOf } from './contents.ts';
import { loadOwnData, missingFromOwnData, resetOwnData } from './load.ts';
import type { OwnData } from './schema.ts';
import { demandScriptRan } from './try-script.ts';

/** What is different where the data is the user's own, and not pgbench's tables. The load itself is put on in the same way. */
export function ownDataGenerator(
  own: OwnData,
  options: GeneratorOptions<PgbenchWorkload>,
): Pick<LoadGenerator, 'load' | 'holds' | 'missing'> & Required<Pick<LoadGenerator, 'reset' | 'tryOut'>> {
  return {
    load: (target, request) => loadOwnData(target, own, options, request),
    holds: contentsOf,
    missing: (client, held) => missingFromOwnData(client, own, held),
    reset: (target, _, { signal }) => resetOwnData(target, own, options, signal),
    async tryOut(target, request) {
      for (const script of options.workload.scripts) {
        if ('file' in script) await tryScript(target, script, options, request);
      }
    },
  };
}

/** Carries out one transaction, by one client, as soon as possible. */
async function tryScript(
  target: Target,
  script: Extract<PgbenchScript, { file: string }>,
  { workload, programs, scriptFolder }: GeneratorOptions<PgbenchWorkload>,
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<void> {
  const one = { clients: 1, threads: 1, rate: undefined, latencyLimitMs: undefined, scripts: [script] };
  const how = { length: { transactions: 1 }, folder, scriptFolder, seed: 1 };
  const command = [path.join(programs, 'pgbench'), ...runArguments({ ...workload, ...one }, how)];
  const result = await runCommand([...command, connectionString(target)], {
    cwd: folder,
    environment: clientEnvironment(target),
    signal,
  });
  demandScriptRan(result, script.file, target.server);
}
