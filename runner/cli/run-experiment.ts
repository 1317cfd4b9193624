import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { carryOutLoad, carryOutTrials } from '../execute/carry-out.ts';
import type { Execution } from '../execute/execution.ts';
import { loadExperiment } from '../experiment/load.ts';
import { makePlan } from '../experiment/plan.ts';
import { UserError } from '../experiment/user-error.ts';
import { pgbench } from '../workloads/pgbench/load-generator.ts';
import { renderPlan } from '../report/plan-text.ts';
import type { Io } from './io.ts';
import { prepareLocalPlace } from './prepare-place.ts';
import { showProgress } from './progress.ts';

export interface VerbOptions {
  local?: true;
  profile?: string;
  seed?: number;
  out: string;
  resume?: true;
  keep?: true;
  pgBindir?: string;
  volumes: 'auto' | 'limited' | 'folders';
  dryRun?: true;
  json?: true;
}

/** Carries out one of the three verbs, and leaves result.json and the report where the last line says. */
export async function runExperiment(
  name: string,
  stages: { load: boolean; run: boolean },
  options: VerbOptions,
  io: Io,
): Promise<void> {
  const loaded = loadExperiment(name, {
    folder: io.workingFolder,
    profile: options.profile ?? (options.local ? 'local' : undefined),
  });
  const { protocol } = loaded.experiment;
  const experiment = { ...loaded.experiment, protocol: { ...protocol, seed: options.seed ?? protocol.seed } };
  const plan = makePlan(experiment, loaded.profile, loaded.warnings);
  const planText = renderPlan(plan, { columns: io.columns });
  if (options.dryRun) {
    io.stdout.write(options.json ? `${JSON.stringify(plan, null, 2)}\n` : planText);
    return;
  }
  io.stderr.write(`${planText}\n`);
  if (!options.local) {
    throw new UserError(
      `${experiment.name} is not deployed from here yet: finding deployed instances comes with the CDK app. Add --local to run it on this machine.`,
    );
  }

  const progress = showProgress(plan, io);
  const results = path.resolve(io.workingFolder, options.out, experiment.name);
  const store = openResultFolder(results, { resume: options.resume ?? false, now: new Date() });
  const earlier = options.resume ? await earlierRun(store, plan, results) : null;
  const { place, programs } = await prepareLocalPlace(experiment, options, io, progress.say);
  let result: Result | null = null;
  let kept: string | null = null;
  try {
    for (const caveat of place.caveats) progress.report({ kind: 'warning', text: caveat });
    result = await execute(
      {
        plan,
        experiment,
        place,
        generator: pgbench({
          workload: experiment.workload,
          programs,
          scriptFolder: path.dirname(loaded.path),
          logTransactions: experiment.collect.includes('transaction-log'),
        }),
        store,
        report: progress.report,
        signal: io.signal,
        now: () => new Date(),
        pause: (seconds, signal) => sleep(seconds * 1000, undefined, { signal }),
      },
      stages,
      earlier,
    );
  } finally {
    progress.end();
    kept = await place.close({ keep: options.keep ?? false });
  }
  if (kept !== null) io.stderr.write(`${kept}\n`);
  if (result) await present(result, store, options, io);
  io.signal.throwIfAborted();
}

async function present(result: Result, store: ResultStore, options: VerbOptions, io: Io): Promise<void> {
  const report = await writeReport(store.folder, result);
  if (options.json) io.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  else io.stdout.write(`${renderTerminal(result, { columns: io.columns, colour: io.colour })}\n`);
  if (!result.complete) io.setExitCode(1);
  io.stderr.write(`Report: ${path.relative(io.workingFolder, report.html)}\n`);
}
