import { Stack, Stage, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { UserError } from '../../runner/contract/errors.ts';

/** By app: the path of what holds an experiment, by experiment, owner, account and Region. */
const known = new WeakMap<IConstruct, Map<string, string>>();

/**
 * Refuses a second experiment of the same name and owner in the same account and Region. Both would give their servers,
 * parameters and dashboard the same names, which AWS would refuse only in the middle of a deploy.
 *
 * @param holder what the app calls the experiment
 * @param owner undefined if the deploy will say it: then nothing can be known before
 * @throws {UserError} naming both
 */
export function refuseNamesakes(holder: IConstruct, experiment: string, owner: string | undefined): void {
  if (owner === undefined) return;
  const { account, region } = Stack.of(holder);
  // Stages may be for different accounts, which only their deploys know.
  const isKnown = [account, region].every((one) => !Token.isUnresolved(one));
  const place = isKnown ? [account, region] : [Stage.of(holder)?.node.path];
  const { root } = holder.node;
  const knownInApp = known.get(root) ?? new Map<string, string>();
  known.set(root, knownInApp);
  const key = JSON.stringify([experiment, owner, ...place]);
  const other = knownInApp.get(key);
  if (other !== undefined) {
    throw new UserError(
      `${other} and ${holder.node.path} are both the experiment ${experiment} of ${owner}, in the same account and Region: their servers and parameters would have the same names. Set another owner for one of them, or remove it.`,
    );
  }
  knownInApp.set(key, holder.node.path);
}
