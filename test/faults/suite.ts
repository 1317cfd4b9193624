import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Place } from './cases.ts';
import { execute } from './execute.ts';
import { invariants } from './oracle/invariants.ts';
import { type Injection, plannedInjection } from './plan.ts';
import type { Outcome } from './summary.ts';

export interface SuiteOptions {
  seed: number;
  /** Numbers of the injections. */
  numbers: readonly number[];
  places: readonly Place[];
  atOnce: number;
  /** Folder of the sources that run. */
  project: string;
  say: (line: string) => void;
}

/** Carries out injections, several at the same time. The folder of each that violates an invariant is kept. */
export async function runSuite(options: SuiteOptions): Promise<Outcome[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'faults-'));
  // The servers run as another user, who must get to their files.
  chmodSync(folder, 0o711);
  const waiting = [...options.numbers];
  const outcomes: Outcome[] = [];
  const work = async (): Promise<void> => {
    for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
      const injection = plannedInjection(options.seed, number, options.places);
      outcomes.push(await carryOut(injection, path.join(folder, String(number)), options));
    }
  };
  await Promise.all(Array.from({ length: options.atOnce }, work));
  if (outcomes.every(({ violations }) => violations.length === 0)) rmSync(folder, { recursive: true, force: true });
  return outcomes.sort((a, b) => a.injection.number - b.injection.number);
}

async function carryOut(injection: Injection, folder: string, { project, say }: SuiteOptions): Promise<Outcome> {
  const { evidence, run } = await execute(injection, { project, folder });
  const violations = invariants.flatMap(({ name, violations: judge }) =>
    judge(evidence).map((seen) => ({ invariant: name, seen })),
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
    say(`    repeat it: npm run faults -- --seed ${injection.seed} --only ${injection.number}`);
    say(`    kept: ${folder}`);
  }
  return outcome;
}

function line({ injection, what, phase, exitCode, seconds }: Outcome): string {
  const { number, place, target, kind } = injection;
  const done = what ?? `not hit: it was over before (${injection.phase})`;
  return `${String(number).padStart(4)}  ${place} ${target} ${kind} in ${phase}: ${done}; exit code ${exitCode ?? 'none'}, ${seconds.toFixed(0)} s`;
}
