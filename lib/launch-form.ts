import { CfnParameter, type Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { weekdays } from '../runner/rds/contract/waiting-times.ts';
import { ownerParameterPattern } from '../runner/rds/deploy/owner.ts';
import { assetPrefix } from './portable-synthesizer.ts';
import type { QuietWindows } from './quiet-windows.ts';

/**
 * How the console groups the parameters of a stack. The labels are the steps of a launch, for a person who has nothing but
 * the template.
 */
const groups = [
  {
    label: `Once per Region: launch results.json as its own stack, and upload folder ${assetPrefix} to its bucket. Enter this bucket`,
    parameters: ['AssetBucket'],
  },
  { label: 'Enter your name', parameters: ['Owner'] },
  {
    label: 'Choose windows that have just passed, so that RDS does not disturb the run',
    parameters: ['BackupWindow', 'MaintenanceWindow'],
  },
  {
    label:
      'Leave these as they are. On the next page, choose an IAM role under Permissions, one that CloudFormation may assume and that may delete all of this: without a role, the stack cannot delete itself. After the launch, the output Status says where to see how far the run is',
    parameters: ['MadeAs', 'LoadedWith'],
  },
];

/** Groups the parameters that the stack has, in numbered steps. Call it when all of them are made. */
export function groupParameters(stack: Stack): void {
  const made = new Set(stack.node.findAll().flatMap((one) => (one instanceof CfnParameter ? [one.node.id] : [])));
  const shown = groups
    .map(({ label, parameters }) => ({ label, parameters: parameters.filter((name) => made.has(name)) }))
    .filter(({ parameters }) => parameters.length > 0)
    .map(({ label, parameters }, index) => ({
      Label: { default: `${index + 1}. ${label}.` },
      Parameters: parameters,
    }));
  stack.templateOptions.metadata = { 'AWS::CloudFormation::Interface': { ParameterGroups: shown } };
}

/** The stack parameter Owner, for a template that is launched by whoever has it. */
export function ownerParameter(scope: Construct): string {
  return new CfnParameter(scope, 'Owner', {
    allowedPattern: ownerParameterPattern,
    constraintDescription: 'up to 12 lower-case letters and digits, starting with a letter',
    description: 'Name of the person who launches this; part of the names of its resources',
  }).valueAsString;
}

/** Time of day, as RDS writes it. */
const timePattern = '([01][0-9]|2[0-3]):[0-5][0-9]';

/**
 * The stack parameters BackupWindow and MaintenanceWindow.
 *
 * @param defaults undefined if the person who launches the template must name them
 */
export function windowParameters(scope: Construct, defaults: QuietWindows | undefined): QuietWindows {
  const window = (id: string, value: string | undefined, day: string, example: string, what: string) =>
    new CfnParameter(scope, id, {
      default: value,
      allowedPattern: `^${day}${timePattern}-${day}${timePattern}$`,
      constraintDescription: `half an hour or more in UTC, such as ${example}`,
      description: `${what}, in UTC: half an hour that has just passed, such as ${example}`,
    }).valueAsString;
  return {
    backup: window(
      'BackupWindow',
      defaults?.backup,
      '',
      '09:30-10:00',
      'Window for the automated backups of all variants, outside the run',
    ),
    maintenance: window(
      'MaintenanceWindow',
      defaults?.maintenance,
      `(${weekdays.join('|')}):`,
      'sat:08:30-sat:09:00',
      'Window for maintenance, outside the run and the backup window',
    ),
  };
}
