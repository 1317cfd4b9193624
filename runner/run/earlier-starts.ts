import { besideEarlier } from '../analysis/earlier-starts.ts';
import type { Result, RunRecord } from '../contract/result.ts';
import { readResultsBeside } from '../storage/earlier-results.ts';
import { differencesBetween, identityOf, type RunIdentity } from './run-identity.ts';

/**
 * The result with what earlier starts of the same run found: same experiment and profile, same pgduet, load generator and
 * machine, same servers with the same settings; only the seed may differ. They are looked for beside the folder of this run.
 */
export function withEarlierStarts(result: Result, folder: string): Result {
  const own = identityWithoutSeed(result);
  const same = readResultsBeside(folder).filter(
    (other) => differencesBetween(own, identityWithoutSeed(other)).length === 0,
  );
  const earlier = besideEarlier(result, same, result.experiment.definition.decision.level);
  return earlier.length === 0 ? result : { ...result, earlier };
}

function identityWithoutSeed(run: RunRecord): RunIdentity {
  const { definition } = run.experiment;
  // Every start draws its own.
  const { seed: _, ...protocol } = definition.protocol;
  return { ...identityOf(run), experiment: { ...definition, protocol } };
}
