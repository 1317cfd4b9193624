import { CfnParameter, CfnRule, Fn } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { DeployableExperiment } from '../../runner/rds/deploy/deployable.ts';
import { fixedAtCreation, loadedData } from '../../runner/rds/deploy/fixed-at-creation.ts';
import { bootSeconds, provisionSeconds, signalTimeoutSeconds } from '../../runner/rds/contract/waiting-times.ts';
import type { FileHashes } from '../../runner/workloads/loaded-with.ts';
import { userDataBody } from './user-data.ts';

/** What follows the loaded data if a copy of it is kept on each server. */
const withCopy = ', and a copy of it';

const remedy =
  'Destroy the stack first (npx cdk destroy with the options of its deploy, or aws cloudformation delete-stack), then deploy again.';

/**
 * Lets CloudFormation refuse a deploy over a stack that was made for something else, before it changes anything.
 *
 * Each stack parameter records what the stack was made for. A later deploy keeps the value (UsePreviousValue, which
 * `cdk deploy` and `aws cloudformation deploy` request), and the rule of the new template compares it with its own.
 * Rules are checked before CloudFormation creates or updates anything. Source:
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/rules-section-structure.html
 *
 * @param files that the workload names
 */
export function refuseOtherDeploys(
  scope: Construct,
  { experiment, profile }: { experiment: DeployableExperiment; profile: string },
  files: FileHashes,
): void {
  const asked = `${experiment.name}, profile ${profile}`;
  // CloudFormation would stop the driver to change its user data, and cannot change a wait condition at all.
  const made = fixedAtCreation(experiment, [userDataBody, bootSeconds, provisionSeconds, signalTimeoutSeconds]);
  requireParameter(scope, 'MadeAs', [made], {
    holds: 'it records what this stack consists of',
    problem: `${asked}, needs different databases, driver or network than this stack has. Requested: ${made}`,
  });
  const data = loadedData(experiment.workload, files);
  const copied = experiment.protocol.reset.includes('restore');
  // An existing copy does no harm, even if it is not needed.
  requireParameter(scope, 'LoadedWith', copied ? [data + withCopy] : [data, data + withCopy], {
    holds: 'it records what the databases are loaded with',
    problem: `${asked}, needs different data than the databases contain. Requested: ${data}${copied ? withCopy : ''}`,
  });
}

/** @param fitting values that this template accepts; a new stack gets the first one */
function requireParameter(
  scope: Construct,
  parameter: string,
  fitting: readonly string[],
  words: { holds: string; problem: string },
): void {
  const { valueAsString, logicalId } = new CfnParameter(scope, parameter, {
    default: fitting[0],
    description: `Do not change this: ${words.holds}. Anything else needs another stack.`,
  });
  new CfnRule(scope, `Same${parameter}`, {
    assertions: [
      {
        assert: Fn.conditionContains([...fitting], valueAsString),
        assertDescription: `${words.problem}. The stack parameter ${logicalId} shows what the stack has. ${remedy}`,
      },
    ],
  });
}
