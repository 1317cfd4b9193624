import path from 'node:path';
import { PartError } from '../../contract/errors.ts';
import { withConnection } from '../../postgres/connect.ts';
import type { Target } from '../../postgres/target.ts';
import { loadingTarget } from '../loading-target.ts';
import type { LoadGenerator } from '../tool.ts';
import { buildRole, makeBuildRole, removeBuildRole } from './build-role.ts';
import { isErrorOfOurs, says } from './output/lines.ts';
import { buildUsersOf, type HammerdbWorkload } from './schema.ts';
import { built, buildScript, passwordFile } from './script/build.ts';
import { checkScript } from './script/check.ts';
import { startSession } from './session.ts';
import { tables } from './sizes.ts';

/** A slow server with one user builds a warehouse in about 20 s; making indexes of many warehouses takes its time, too. */
const limitSeconds = { least: 1800, perWarehouse: 60 };
/** Lines of a build for each warehouse: one for each district, twice. */
const progressLine = /^Vuser \d+:Loading (Customer|Orders) for /;
const progressLinesPerWarehouse = 20;
/** Part of the time that it takes to load, before indexes, the check and vacuum. */
const loadingShare = 0.9;

/** Builds the schema as a role of its own, lets HammerDB check it, and leaves it vacuumed, as the target's user's. */
export async function buildSchema(
  target: Target,
  { install, workload }: { install: string; workload: HammerdbWorkload },
  { folder, signal, onProgress }: Parameters<LoadGenerator['load']>[1],
): Promise<void> {
  const limit = limitSeconds.least + workload.warehouses * limitSeconds.perWarehouse;
  const { environment } = await loadingTarget(target, signal);
  const common = { install, environment, limitSeconds: limit, isError: isErrorOfOurs, signal };
  const log = (what: string): string => path.join(folder, `${what}-${target.server}.log`);
  let loaded = 0;
  function onLine(line: string): void {
    if (!progressLine.test(line)) return;
    loaded += 1;
    onProgress(Math.min(1, loaded / (workload.warehouses * progressLinesPerWarehouse)) * loadingShare);
  }
  try {
    const password = await withConnection(target, (client) => makeBuildRole(client, limit / 3600), signal);
    const { lines } = await startSession({
      ...common,
      script: buildScript(target, workload, buildRole),
      files: { [passwordFile]: password },
      onLine,
      log: log('load'),
    }).ended;
    const builders = buildUsersOf(workload);
    demandDone(lines, 'build', [says.schemaComplete, says.allComplete, new RegExp(`^${built}$`)], {
      // One user needs no other to watch it.
      succeeded: builders === 1 ? 1 : builders + 1,
    });
  } finally {
    // Also after Ctrl-C: nobody must be able to log in with it, and what it owns could not be dropped.
    await withConnection(target, removeBuildRole, AbortSignal.timeout(removeSeconds * 1000));
  }
  const { lines } = await startSession({ ...common, script: checkScript(target, workload), log: log('check') }).ended;
  demandDone(lines, 'check', [says.checked, says.allComplete], { succeeded: 1 });
  await withConnection(
    target,
    async (client) => {
      await client.query(`VACUUM (ANALYZE) ${tables.join(', ')}`);
      // The master user of RDS may not, and need not: what counts is the reset before each trial.
      await client.query('CHECKPOINT').catch(() => undefined);
    },
    signal,
    { long: true },
  );
  onProgress(1);
}

const removeSeconds = 60;

/** @throws if one of these lines is missing, or if not all users finished */
function demandDone(
  lines: readonly string[],
  what: 'build' | 'check',
  wanted: readonly RegExp[],
  { succeeded }: { succeeded: number },
): void {
  const users = new Set(lines.flatMap((line) => says.succeeded.exec(line)?.[1] ?? [])).size;
  const isDone = wanted.every((pattern) => lines.some((line) => pattern.test(line)));
  if (isDone && users === succeeded) return;
  throw new PartError(
    `HammerDB did not come to the end of its ${what} (${users} of ${succeeded} virtual users finished); its last line: ${lines.at(-1) ?? 'none'}`,
  );
}
