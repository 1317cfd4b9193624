import { CfnParameter, CfnRule, Fn, type Stack } from 'aws-cdk-lib';
import type { DeployableExperiment } from '../../runner/experiment/deploy/deployable.ts';
import { fixedAtCreation, loadedData } from '../../runner/experiment/deploy/fixed-at-creation.ts';
import type { FileHashes } from '../../runner/workloads/loaded-with.ts';

/** What follows the loaded data if a copy of it is kept on each server. */
const withCopy = ', and a copy of it';

const remedy =
  'Destroy the stack first (npx cdk destroy with the words of its deploy, or aws cloudformation delete-stack), then deploy again.';

/**
 * Lets CloudFormation refuse a deploy over a stack that was made for something else, before it changes anything.
 *
 * Each stack parameter holds what the stack was made for. A later deploy leaves the value as it is (UsePreviousValue, as
 * `cdk deploy` and `aws cloudformation deploy` ask for), and the rule of the new template compares it with its own. Rules
 * are checked before CloudFormation creates or updates anything.
 * Source: https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/rules-section-structure.html
 *
 * @param files that the workload names
 */
export function refuseOtherDeploys(
  stack: Stack,
  { experiment, profile }: { experiment: DeployableExperiment; profile: string },
  files: FileHashes,
): void {
  const asked = `${experiment.name}, profile ${profile}`;
  const made = fixedAtCreation(experiment);
  demand(stack, 'MadeAs', [made], {
    holds: 'what this stack is made of',
    problem: `${asked}, needs other databases, or another driver or network, than this stack has. Asked for: ${made}`,
  });
  const data = loadedData(experiment.workload, files);
  const copied = experiment.protocol.reset.includes('restore');
  // A copy that is not needed does no harm.
  demand(stack, 'LoadedWith', copied ? [data + withCopy] : [data, data + withCopy], {
    holds: 'what the databases are loaded with',
    problem: `${asked}, needs other data than the databases are loaded with. Asked for: ${data}${copied ? withCopy : ''}`,
  });
}

/** @param fitting values with which this template can do; a new stack gets the first one */
function demand(
  stack: Stack,
  parameter: string,
  fitting: readonly string[],
  words: { holds: string; problem: string },
): void {
  const { valueAsString } = new CfnParameter(stack, parameter, {
    default: fitting[0],
    description: `Leave it as it is: ${words.holds}. It needs another stack to be something else.`,
  });
  new CfnRule(stack, `Same${parameter}`, {
    assertions: [
      {
        assert: Fn.conditionContains([...fitting], valueAsString),
        assertDescription: `${words.problem}. What there is stands in the parameter ${parameter} of the stack. ${remedy}`,
      },
    ],
  });
}
