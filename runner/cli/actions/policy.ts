import { UserError } from '../../contract/errors.ts';
import { regionOf } from '../../rds/prices/kept-prices.ts';
import { deployable } from '../../rds/deploy/deployable.ts';
import { experimentStackName } from '../../rds/deploy/identifiers.ts';
import { charactersOf, maxCharacters } from '../../rds/deploy/launch-policy/document.ts';
import { launchPolicy } from '../../rds/deploy/launch-policy/policy.ts';
import { ownerOfDeploy } from '../../rds/deploy/owner.ts';
import { loadInParts } from '../../experiment/file/load.ts';
import { type Io, say } from '../io.ts';
import type { Declare } from '../verb.ts';
import { describeArguments, profileOption } from '../options.ts';

export interface PolicyOptions {
  profile?: string;
  owner?: string;
  region?: string;
  json?: true;
}

/** Characters of all inline policies of a role together. */
const maxInlineCharacters = 10_240;

/** Prints the policy, and beside it what it is for. */
export async function policy(name: string, options: PolicyOptions, io: Io): Promise<void> {
  const how = { folder: io.workingFolder, profile: options.profile };
  const { experiment, profile } = await loadInParts(name, how, io.signal);
  const owner = ownerOfDeploy(options.owner);
  const region = checkedRegion(options.region ?? regionOf(io.environment));
  const document = launchPolicy(deployable(experiment, profile), { owner, region });
  io.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  if (options.json) return;
  const stack = experimentStackName(experiment.name, owner);
  const size = charactersOf(document);
  const attach =
    size > maxCharacters
      ? `It has ${size} characters, and a managed policy may have ${maxCharacters}. So put it into the role itself, where there is room for ${maxInlineCharacters}: aws iam put-role-policy.`
      : 'Attach it with aws iam put-role-policy, or create a managed policy with aws iam create-policy.';
  const text = `A role with this policy lets CloudFormation create, update and delete stack ${stack} in ${region} (profile ${profile}). ${attach} docs/deploying.md, "A role with only the rights that it needs", has the commands.`;
  say(text, io);
}

/** @throws {UserError} if it is no name of a Region: a policy for it would allow nothing */
function checkedRegion(region: string): string {
  if (/^[a-z]{2}(-[a-z]+)+-\d+$/.test(region)) return region;
  throw new UserError(`--region ${region} is not the name of a Region, such as us-east-1.`);
}

export const declare: Declare = (command, io) => {
  describeArguments(command, 'name under experiments/, or path to a YAML file');
  command
    .addOption(profileOption())
    .option('--owner <who>', 'who will deploy (default: your login name)')
    .option('--region <name>', 'Region to deploy to (default: AWS_REGION, or us-east-1)')
    .option('--json', 'print only the policy; it is JSON anyway')
    .action((name: string, options: PolicyOptions) => policy(name, options, io));
};
