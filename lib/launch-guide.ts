import type { CostEstimate } from '../runner/rds/prices/estimate.ts';

/**
 * Text of the guide for a portable template: how to launch it with only the AWS command line, and how to delete it.
 *
 * @param experiment name of the experiment
 * @param assetPrefix folder of the assets, beside the template and in the bucket
 * @param windowsKnown whether the template itself sets the windows for backups and maintenance; otherwise the command
 *   does
 * @param whenDone what happens to the stack after its run
 * @param lifetimeHours hours after its creation at which the stack deletes itself in any case; null for never
 * @param limitDollars `limits.dollars`; undefined for none
 * @param costs of the stack, in each Region where its price is known
 */
export function launchGuide(
  experiment: string,
  { assetPrefix, windowsKnown, ...bill }: Bill & { assetPrefix: string; windowsKnown: boolean },
): string {
  return `# Launching ${experiment}

You need the AWS CLI and credentials that can create roles, but no Node and no bootstrapped account. Choose a name of up to 12
lower-case letters and digits, and stay in one Region:

    export AWS_REGION=us-east-1 OWNER=alice

${priceText(bill.costs)}

Once per account: a role for CloudFormation. The stack needs it to delete itself after the run, or when its time is up.
Without the role, that fails, and you pay for the stack until you delete it. The role may do what policy.json says: make,
change and delete stacks of this experiment, whoever owns them, in any Region. Only CloudFormation of this account can use it.

    ROLE_NAME=cloudformation-pgduet-${experiment}
    ACCOUNT=$(aws sts get-caller-identity --query Account --output text)
    aws iam create-role --role-name "$ROLE_NAME" --assume-role-policy-document '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"sts:AssumeRole","Principal":{"Service":"cloudformation.amazonaws.com"},"Condition":{"StringEquals":{"aws:SourceAccount":"'"$ACCOUNT"'"}}}]}'
    aws iam put-role-policy --role-name "$ROLE_NAME" --policy-name launch --policy-document file://policy.json

Anyone who can pass this role to CloudFormation can grant any right to a stack’s roles. Allow iam:PassRole on it only to people
who may launch the experiment. If you regenerate this folder, repeat the last command.

Once per account and Region: the bucket for results, which remains when experiments are deleted.

    aws cloudformation deploy --stack-name pgduet-results --template-file results.json

Then the experiment. Its assets also go into the bucket for results. Any other bucket in the Region would do, unless it is
encrypted with your own KMS key, which the driver could not use.

    ROLE=$(aws iam get-role --role-name cloudformation-pgduet-${experiment} --query Role.Arn --output text)
    BUCKET=$(aws cloudformation describe-stacks --stack-name pgduet-results --query 'Stacks[0].Outputs[?OutputKey==\`ResultsBucket\`].OutputValue' --output text)
    aws s3 cp --recursive ${assetPrefix} "s3://$BUCKET/${assetPrefix}"
${windowsKnown ? '' : windowsJustPassed}    aws cloudformation deploy --stack-name "pgduet-${experiment}-$OWNER" --template-file template.json \\
      --s3-bucket "$BUCKET" --s3-prefix ${assetPrefix} --role-arn "$ROLE" --capabilities CAPABILITY_IAM \\
      --parameter-overrides "AssetBucket=$BUCKET" "Owner=$OWNER"${windowsKnown ? '' : windowParameters}

If the launch fails, its events have the reason. CloudFormation keeps the empty stack; delete it before you try again:

    aws cloudformation delete-stack --stack-name "pgduet-${experiment}-$OWNER"
    aws cloudformation wait stack-delete-complete --stack-name "pgduet-${experiment}-$OWNER"

The benchmark starts automatically. To see where its results arrive, and other outputs:

    aws cloudformation describe-stacks --stack-name "pgduet-${experiment}-$OWNER" --query 'Stacks[0].Outputs'

${ending(bill)}

    aws cloudformation delete-stack --stack-name "pgduet-${experiment}-$OWNER"

When no stack of this experiment is left, delete the role:

    aws iam delete-role-policy --role-name cloudformation-pgduet-${experiment} --policy-name launch
    aws iam delete-role --role-name cloudformation-pgduet-${experiment}
`;
}

interface Bill {
  readonly whenDone: 'destroy' | 'keep';
  readonly lifetimeHours: number | null;
  readonly limitDollars: number | undefined;
  readonly costs: readonly CostEstimate[];
}

function priceText(costs: readonly CostEstimate[]): string {
  const [first] = costs;
  if (first === undefined) return 'AWS bills for the stack by the hour. Its price is unknown.';
  const lines = costs.map(({ prices, dollarsPerHour, atMost }) => {
    const end = atMost === null ? '' : `, $${atMost.dollars.high.toFixed(2)} at most`;
    return `    ${prices.region.padEnd(16)} $${dollarsPerHour.high.toFixed(2)} an hour${end}`;
  });
  return `AWS bills for the stack by the hour, without what it bills by use, such as logs, and without snapshots that you keep:

${lines.join('\n')}${snapshotsText(first)}`;
}

function snapshotsText({ snapshots }: CostEstimate): string {
  if (snapshots === null) return '';
  return `

Snapshots that outlive the stack: ${snapshots.count}, at most $${Math.ceil(snapshots.maxDollarsPerMonth)} a month by the price of us-east-1, until you delete them.`;
}

function ending({ whenDone, lifetimeHours: hours, limitDollars }: Bill): string {
  const ends = [
    ...(limitDollars === undefined ? [] : [`when $${limitDollars} are spent`]),
    ...(hours === null ? [] : [`at the latest ${hours} hours after its creation`]),
  ];
  if (whenDone === 'destroy') {
    return `The stack deletes itself ${['soon after its run', ...ends].join(', or ')}. To delete it earlier:`;
  }
  return hours === null
    ? 'The stack stays after its run, and bills until you delete it:'
    : `The stack stays after its run, bills, and deletes itself ${ends.join(', or ')}. To delete it earlier:`;
}

/**
 * Half hours that have just passed: RDS starts no backup for a day, and no maintenance for a week. `date` takes seconds by -d
 * with GNU, by -r elsewhere.
 */
const windowsJustPassed = `    ago() { at=$(($(date +%s) - $1 * 60)); LC_ALL=C date -u -d "@$at" "+$2" 2>/dev/null || LC_ALL=C date -u -r "$at" "+$2"; }
    BACKUP="$(ago 30 %H:%M)-$(ago 0 %H:%M)"
    MAINTENANCE=$(echo "$(ago 90 %a:%H:%M)-$(ago 60 %a:%H:%M)" | tr '[:upper:]' '[:lower:]')
`;

const windowParameters = ` \\
      "BackupWindow=$BACKUP" "MaintenanceWindow=$MAINTENANCE"`;
