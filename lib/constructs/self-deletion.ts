import { Aws, CfnParameter, Duration, Validations } from 'aws-cdk-lib';
import { type Conditions, Policy, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { DefinitionBody, QueryLanguage, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { Binding } from '../../runner/contract/binding.ts';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { statusName } from '../../runner/contract/status.ts';
import type { DeployableExperiment } from '../../runner/experiment/deploy/deployable.ts';
import { deletionSteps } from './deletion-steps.ts';
import { Notice } from './notice.ts';
import { only } from './permissions/permission.ts';

export interface SelfDeletionProps {
  /**
   * Hours after its creation at which the stack deletes itself in any case; default of the stack parameter
   * LifetimeHours.
   *
   * @default - it does not expire
   */
  readonly hours?: number;
  /**
   * The object in which the run says when its stack may be deleted. Only the run of this deploy counts: it begins a
   * minute after the deploy, and until then the object is about the previous run.
   *
   * @default - the end of the run deletes nothing
   */
  readonly status?: {
    readonly bucket: string;
    readonly key: string;
    readonly deploy: string;
    /** KMS key of the bucket; undefined if it is a key of S3. */
    readonly kmsKeyArn: string | undefined;
  };
  /** Where to send a message. @default - nowhere */
  readonly notify?: Experiment['notify'];
  /** Address of the results, for the message. */
  readonly results: string;
  /** What the whole stack costs, in US dollars, for the message. @default - not known */
  readonly dollarsPerHour?: number | undefined;
}

/** The deletion that an experiment asks for; undefined if the stack stays until a user destroys it. */
export function selfDeletionOf(
  scope: Construct,
  { whenDone, expiry, notify }: DeployableExperiment,
  {
    results,
    resultsKeyArn,
    deploy,
    dollarsPerHour,
  }: {
    results: Binding['results'];
    /** KMS key of their bucket; undefined if it is a key of S3. */
    resultsKeyArn: string | undefined;
    deploy: string;
    dollarsPerHour?: number | undefined;
  },
): SelfDeletion | undefined {
  const ends: Pick<SelfDeletionProps, 'hours' | 'status'> = {
    ...(expiry.kind === 'after' ? { hours: expiry.hours } : {}),
    ...(whenDone === 'destroy'
      ? {
          status: {
            bucket: results.bucket,
            key: `${results.prefix}${statusName}`,
            deploy,
            kmsKeyArn: resultsKeyArn,
          },
        }
      : {}),
  };
  if (ends.hours === undefined && ends.status === undefined) return undefined;
  return new SelfDeletion(scope, 'SelfDeletion', {
    ...ends,
    ...(notify ? { notify } : {}),
    results: `s3://${results.bucket}/${results.prefix}`,
    dollarsPerHour,
  });
}

/**
 * Deletes the stack when its run has ended and everything is saved, and in any case when its lifetime is over. So AWS
 * does not bill for it after the answer, nor for days if it is forgotten. A schedule checks every five minutes. It does
 * not need the driver, the template contains no date, and a failed deletion is retried until the stack is gone.
 *
 * Make it before everything else, and let everything depend on `lastToGo`. It then exists as long as any other
 * resource.
 */
export class SelfDeletion extends Construct {
  readonly lastToGo: CfnSchedule;
  /** undefined if the stack does not expire. */
  readonly lifetimeHours: CfnParameter | undefined;

  constructor(scope: Construct, id: string, props: SelfDeletionProps) {
    super(scope, id);
    this.lifetimeHours =
      props.hours === undefined
        ? undefined
        : new CfnParameter(scope, 'LifetimeHours', {
            type: 'Number',
            default: props.hours,
            minValue: 1,
            description:
              'Hours after its creation at which this stack deletes itself in any case. Raise it to keep the stack longer.',
          });
    const scheduleRole = new Role(this, 'ScheduleRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      description: 'Lets a pgduet experiment check whether its stack may be deleted',
    });
    // Scheduler refuses a role that it cannot assume yet, as for some seconds after IAM has made it. So everything else
    // that the schedule needs is made after the role.
    const machine = this.machine(props);
    machine.node.addDependency(scheduleRole);
    const start = new Policy(this, 'ScheduleRolePolicy', {
      statements: [allow(['states:StartExecution'], machine.stateMachineArn)],
      roles: [scheduleRole],
    });
    this.lastToGo = new CfnSchedule(this, 'Schedule', {
      description: `Deletes the stack ${Aws.STACK_NAME} after the end of its run, or after its time`,
      flexibleTimeWindow: { mode: 'OFF' },
      scheduleExpression: 'rate(5 minutes)',
      target: {
        arn: machine.stateMachineArn,
        roleArn: scheduleRole.roleArn,
        // The next check comes anyway; the default of 185 retries would only pile up.
        retryPolicy: { maximumRetryAttempts: 2, maximumEventAgeInSeconds: 300 },
      },
    });
    this.lastToGo.node.addDependency(start);
  }

  private machine({ status, notify, results, dollarsPerHour }: SelfDeletionProps): StateMachine {
    const topicArn = notify && new Notice(this, 'Notice', notify).topicArn;
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('states.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: {
        // The deletion uses the role that deployed the stack, so nothing else is needed here.
        deletion: document(
          allow(['cloudformation:DeleteStack', 'cloudformation:DescribeStacks'], Aws.STACK_ID),
          ...(status ? [allow(['s3:GetObject'], `arn:${Aws.PARTITION}:s3:::${status.bucket}/${status.key}`)] : []),
          ...(status?.kmsKeyArn === undefined ? [] : [allow(['kms:Decrypt'], status.kmsKeyArn, only('s3'))]),
          ...(topicArn === undefined ? [] : [allow(['sns:Publish'], topicArn)]),
        ),
      },
      description: 'Lets a pgduet experiment delete its own stack',
    });
    const machine = new StateMachine(this, 'Machine', {
      comment: 'Deletes the stack when its run has ended and everything is saved, or when its lifetime is over',
      role: role.withoutPolicyUpdates(),
      queryLanguage: QueryLanguage.JSONATA,
      timeout: Duration.minutes(4),
      definitionBody: DefinitionBody.fromChainable(
        deletionSteps(this, {
          lifetimeHours: this.lifetimeHours?.valueAsString,
          status,
          topicArn,
          results,
          dollarsPerHour,
        }),
      ),
    });
    Validations.of(machine).acknowledge(
      {
        id: 'AwsSolutions-SF1',
        reason: 'Step Functions keeps its executions; a log group would outlive the stack.',
      },
      { id: 'AwsSolutions-SF2', reason: 'A few calls every five minutes need no tracing.' },
    );
    return machine;
  }
}

function document(...statements: PolicyStatement[]): PolicyDocument {
  return new PolicyDocument({ statements });
}

function allow(actions: string[], resource: string, conditions: Conditions = {}): PolicyStatement {
  return new PolicyStatement({ actions, resources: [resource], conditions });
}
