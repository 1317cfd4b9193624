import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Case } from './cases.ts';
import type { Breakage } from './breakages.ts';
import { Account } from './deployed/account.ts';
import { execute } from './execute.ts';
import { invariants } from './oracle/invariants.ts';
import { copyProject } from './project-copy.ts';
import { type Injection, plannedInjection } from './plan.ts';
import type { Outcome } from './summary.ts';

export interface SuiteOptions {
  seed: number;
  /** Numbers of the injections. */
  numbers: readonly number[];
  cases: readonly Case[];
  atOnce: number;
  /** Folder of this project. */
  project: string;
  breakage: Breakage | null;
  /** The command line that repeats one injection, without its number. */
  repeat: string;
  say: (line: string) => void;
}

/** Carries out injections, several at the same time. The folder of each that violates an invariant is kept. */
export async function runSuite(options: SuiteOptions): Promise<Outcome[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'faults-'));
  // The servers run as another user, who must get to their files.
  chmodSync(folder, 0o711);
  const project = path.join(folder, 'project');
  mkdirSync(project);
  copyProject(options.project, project, options.breakage);
  const waiting = [...options.numbers];
  const outcomes: Outcome[] = [];
  const work = async (): Promise<void> => {
    let opened: Account | undefined;
    const account = async (): Promise<Account> => (opened ??= await Account.open());
    for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
      const injection = plannedInjection(options.seed, number, options.cases);
      outcomes.push(await carryOut(injection, path.join(folder, String(number)), { ...options, project, account }));
    }
    await opened?.close();
  };
  await Promise.all(Array.from({ length: options.atOnce }, work));
  if (outcomes.every(({ violations }) => violations.length === 0)) rmSync(folder, { recursive: true, force: true });
  return outcomes.sort((a, b) => a.injection.number - b.injection.number);
}

async function carryOut(
  injection: Injection,
  folder: string,
  { project, say, repeat, account }: SuiteOptions & { account: () => Promise<Account> },
): Promise<Outcome> {
  const { evidence, run } = await execute(injection, { project, folder, account });
  const violations = invariants.flatMap((invariant) =>
    invariant.violations(evidence).map((seen) => ({ invariant: invariant.name, seen })),
  );
  const { strike, at, ended } = evidence;
  const { draw: _, ...described } = injection;
  const outcome: Outcome = {
    injection: described,
    what: strike?.what ?? null,
    phase: at.phase,
    exitCode: ended?.exitCode ?? null,
    seconds: run.ageSeconds(),
    violations,
  };
  const kept = violations.length > 0;
  if (kept) {
    const { before: __, after: ___, ...rest } = { ...evidence, injection: described };
    writeFileSync(path.join(folder, 'evidence.json'), JSON.stringify({ ...rest, violations }, null, 2));
  }
  run.close({ keep: kept });
  say(line(outcome));
  if (kept) {
    for (const { invariant, seen } of violations) say(`    violated: ${invariant}: ${seen}`);
    say(`    repeat it: ${repeat} --only ${injection.number}`);
    say(`    kept: ${folder}`);
  }
  return outcome;
}

function line({ injection, what, phase, exitCode, seconds }: Outcome): string {
  const { number, place, target, kind } = injection;
  const done = what ?? `not hit: it was over before (${injection.phase})`;
  return `${String(number).padStart(4)}  ${place} ${target} ${kind} in ${phase}: ${done}; exit code ${exitCode ?? 'none'}, ${seconds.toFixed(0)} s`;
}
