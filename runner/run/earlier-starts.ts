import { besideEarlier } from '../analysis/earlier-starts.ts';
import type { Result, RunRecord } from '../contract/result.ts';
import type { Report } from '../contract/run-event.ts';
import { readResultsBeside } from '../storage/earlier-results.ts';
import { differencesBetween, identityOf, type RunIdentity } from './run-identity.ts';

/**
 * The result with what earlier starts of the same run found: same experiment and profile, same pgduet, load generator and
 * machine, same servers with the same settings; only the seed may differ. They are looked for beside the folder of this run. One
 * for which its manifest does not vouch is left out.
 *
 * @param report is told of each that is left out
 */
export function withEarlierStarts(result: Result, folder: string, report: Report): Result {
  const own = identityWithoutSeed(result);
  const same = readResultsBeside(folder).filter(
    ({ head }) => differencesBetween(own, identityWithoutSeed(head)).length === 0,
  );
  for (const { doubt } of same) {
    if (doubt !== null) report({ kind: 'warning', text: `An earlier start does not count: ${doubt}` });
  }
  const known = same.flatMap(({ head, doubt }) => (doubt === null ? [head] : []));
  const earlier = besideEarlier(result, known, result.experiment.definition.decision.level);
  return earlier.length === 0 ? result : { ...result, earlier };
}

function identityWithoutSeed(run: RunRecord): RunIdentity {
  const { definition } = run.experiment;
  // Every start draws its own.
  const { seed: _, ...protocol } = definition.protocol;
  return { ...identityOf(run), experiment: { ...definition, protocol } };
}
