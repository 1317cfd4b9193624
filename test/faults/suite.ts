import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Case } from './cases.ts';
import type { Breakage } from './breakages.ts';
import { Account } from './deployed/account.ts';
import { execute } from './execute.ts';
import { invariants } from './oracle/invariants.ts';
import { compile } from '../../scripts/build/compile.ts';
import { copyProject } from './project-copy.ts';
import { type Injection, plannedInjection } from './plan.ts';
import { drawUntil } from './rounds.ts';
import type { RunUnderTest } from './run-under-test.ts';
import { type Outcome, repeatedBy } from './summary.ts';

export interface SuiteOptions {
  seed: number;
  /** How many are to hit, or the numbers of those that are carried out. */
  wanted: { hits: number } | { numbers: readonly number[] };
  cases: readonly Case[];
  atOnce: number;
  /** Folder of this project. */
  project: string;
  breakage: Breakage | null;
  /** The command line that repeats one injection, without its number. */
  repeat: string;
  say: (line: string) => void;
  /** Ends the suite, and whatever it runs. */
  signal: AbortSignal;
}

/**
 * Carries out injections, several at the same time. The folder of each that violates an invariant is kept.
 *
 * @throws the signal's reason if it aborted; what goes wrong in the suite itself. No run is left then.
 */
export async function runSuite(options: SuiteOptions): Promise<Outcome[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'faults-'));
  // The servers run as another user, who must get to their files.
  chmodSync(folder, 0o711);
  const project = path.join(folder, 'project');
  mkdirSync(project);
  copyProject(options.project, project, options.breakage);
  await compile(project);
  const open = new Set<RunUnderTest>();
  const violated = new Set<number>();
  const lanes = Array.from({ length: options.atOnce }, newLane);
  const carryOutAll = async (numbers: readonly number[]): Promise<Outcome[]> => {
    const waiting = [...numbers];
    const done: Outcome[] = [];
    const work = async ({ account }: Lane): Promise<void> => {
      for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
        const injection = plannedInjection(options.seed, number, options.cases);
        const outcome = await carryOut(injection, path.join(folder, String(number)), {
          ...options,
          project,
          account,
          open,
        });
        if (outcome.violations.length > 0) violated.add(number);
        done.push(outcome);
      }
    };
    await Promise.all(lanes.map(work));
    return done;
  };
  const { wanted, signal } = options;
  const suite =
    'hits' in wanted
      ? drawUntil(wanted.hits, { carryOutAll, isHit: ({ missed }) => missed === null })
      : carryOutAll(wanted.numbers);
  try {
    await Promise.race([suite, once(signal, 'abort')]);
    signal.throwIfAborted();
    return (await suite).sort((a, b) => a.injection.number - b.injection.number);
  } finally {
    for (const run of open) await run.close({ keep: false });
    for (const { close } of lanes) await close();
    if (violated.size === 0) rmSync(folder, { recursive: true, force: true });
  }
}

/** Carries out one injection after another. The account is opened when the first one needs it. */
interface Lane {
  account: () => Promise<Account>;
  close: () => Promise<void>;
}

function newLane(): Lane {
  let opened: Account | undefined;
  return {
    account: async () => (opened ??= await Account.open()),
    close: async () => opened?.close(),
  };
}

async function carryOut(
  injection: Injection,
  folder: string,
  { project, say, repeat, account, open }: SuiteOptions & { account: () => Promise<Account>; open: Set<RunUnderTest> },
): Promise<Outcome> {
  const { evidence, run } = await execute(injection, { project, folder, account, open });
  const violations = invariants.flatMap((invariant) =>
    invariant.violations(evidence).map((observed) => ({ invariant: invariant.name, observed })),
  );
  const { strike, missed, at, ended } = evidence;
  const { draw: _, ...described } = injection;
  const outcome: Outcome = {
    injection: described,
    what: strike?.what ?? null,
    missed,
    phase: strike ? at.phase : injection.phase,
    exitCode: ended?.exitCode ?? null,
    seconds: run.ageSeconds(),
    violations,
  };
  const kept = violations.length > 0;
  if (kept) {
    const { before: __, after: ___, ...rest } = { ...evidence, injection: described };
    writeFileSync(path.join(folder, 'evidence.json'), JSON.stringify({ ...rest, violations }, null, 2));
  }
  await run.close({ keep: kept });
  open.delete(run);
  say(line(outcome));
  if (kept) {
    for (const { invariant, observed } of violations) say(`    violated: ${invariant}: ${observed}`);
    say(`    repeat it: ${repeatedBy(outcome, repeat)}`);
    say(`    kept: ${folder}`);
  }
  return outcome;
}

function line({ injection, what, missed, phase, exitCode, seconds }: Outcome): string {
  const { number, place, target, kind } = injection;
  const done = what ?? `not hit: ${missed ?? ''}`;
  return `${String(number).padStart(4)}  ${place} ${target} ${kind} in ${phase}: ${done}; exit code ${exitCode ?? 'none'}, ${seconds.toFixed(0)} s`;
}
