import { Aws, Duration, Validations } from 'aws-cdk-lib';
import { Policy, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { DefinitionBody, QueryLanguage, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { deletionName, deletionStates } from '../../../runner/rds/contract/deletion.ts';
import type { Experiment } from '../../../runner/contract/experiment/schema.ts';
import { serversOf } from '../../../runner/contract/server.ts';
import { statusName } from '../../../runner/contract/status.ts';
import { lookMinutes } from '../../../runner/rds/prices/margin.ts';
import type { DeployableExperiment } from '../../../runner/rds/deploy/deployable.ts';
import { deploymentOf } from '../../../runner/rds/deployments/registry.ts';
import { databaseIdentifier } from '../../identifiers.ts';
import { Notice } from '../notice.ts';
import { only, rdsArn } from '../permissions/permission.ts';
import { type DeletionSteps, deletionSteps } from './steps.ts';
import { s3Arn } from './tasks.ts';

export interface SelfDeletionProps extends Omit<DeletionSteps, 'topicArn'> {
  /** KMS key of the bucket of the results; undefined if it is a key of S3. */
  readonly resultsKeyArn: string | undefined;
  /** Where to send a message. @default - nowhere */
  readonly notify: Experiment['notify'];
}

/**
 * The deletion that an experiment asks for; undefined if the stack stays until a user destroys it.
 *
 * @param deploy only the run of this deploy ends the stack: it begins a minute after the deploy, and until then the status
 *   is about the previous run
 */
export function selfDeletionOf(
  scope: Construct,
  experiment: DeployableExperiment,
  place: Pick<SelfDeletionProps, 'results' | 'resultsKeyArn' | 'prices'> & { deploy: string; owner: string },
): SelfDeletion | undefined {
  const { whenDone, graceMinutes, expiry, notify, limits } = experiment;
  if (whenDone === 'keep' && expiry.kind === 'never') return undefined;
  const { owner, deploy, ...rest } = place;
  return new SelfDeletion(scope, 'SelfDeletion', {
    ...rest,
    deploy: whenDone === 'destroy' ? deploy : undefined,
    graceMinutes,
    lifetimeHours: expiry.kind === 'after' ? expiry.hours : undefined,
    limitDollars: limits.dollars,
    instances: billedInstances(experiment, owner),
    notify,
  });
}

/** An inline policy holds 10,240 characters, so that no more of them can be named. */
const maxInstances = 60;

/** The instances whose times RDS can say; of a Multi-AZ cluster, the first one. */
function billedInstances({ name, variants, protocol }: DeployableExperiment, owner: string): string[] {
  return serversOf(Object.keys(variants), protocol.replicas)
    .slice(0, maxInstances)
    .map((server) => {
      const identifier = databaseIdentifier(name, owner, server);
      return deploymentOf(variants[server.variant] ?? {}).members?.names(identifier)[0] ?? identifier;
    });
}

/**
 * Deletes the stack when its run has ended and everything is saved, and in any case when its lifetime is over, when its
 * bill reaches the limit, or when its run is silent (steps.ts). So AWS does not bill for it after the answer, nor for days
 * if it is forgotten. A schedule checks every five minutes. It does not need the driver, the template contains no date,
 * and a failed deletion is retried until the stack is gone.
 *
 * Let `lastToGo` go last (let-go-last.ts). It then exists as long as any other resource.
 */
export class SelfDeletion extends Construct {
  readonly lastToGo: CfnSchedule;

  constructor(scope: Construct, id: string, props: SelfDeletionProps) {
    super(scope, id);
    const scheduleRole = new Role(this, 'ScheduleRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      description: 'Lets a pgduet experiment check whether its stack may be deleted',
    });
    // Scheduler refuses a role that it cannot assume yet, as for some seconds after IAM has made it. So everything else
    // that the schedule needs is made after the role.
    const notice = props.notify && new Notice(this, 'Notice', props.notify);
    const machine = this.machine(props, notice?.topicArn);
    machine.node.addDependency(scheduleRole);
    const start = new Policy(this, 'ScheduleRolePolicy', {
      statements: [allow(['states:StartExecution'], machine.stateMachineArn)],
      roles: [scheduleRole],
    });
    this.lastToGo = new CfnSchedule(this, 'Schedule', {
      description: `Deletes the stack ${Aws.STACK_NAME} after the end of its run, its money or its time`,
      flexibleTimeWindow: { mode: 'OFF' },
      scheduleExpression: `rate(${lookMinutes} minutes)`,
      target: {
        arn: machine.stateMachineArn,
        roleArn: scheduleRole.roleArn,
        // The next check comes anyway; the default of 185 retries would only pile up.
        retryPolicy: { maximumRetryAttempts: 2, maximumEventAgeInSeconds: 300 },
      },
    });
    this.lastToGo.node.addDependency(start);
    // Messages about a failed deletion need the subscription, on which nothing else depends.
    if (notice) this.lastToGo.node.addDependency(notice);
  }

  private machine({ resultsKeyArn, ...steps }: SelfDeletionProps, topicArn: string | undefined): StateMachine {
    const { results, deploy, instances } = steps;
    const records = deletionStates.map((state) => s3Arn(results, deletionName(state)));
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('states.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: {
        // Deletion and roll back use the role that deployed the stack, so nothing else is needed here.
        deletion: document(
          allow(
            ['CancelUpdateStack', 'DeleteStack', 'DescribeStacks', 'ListStackResources'].map(
              (action) => `cloudformation:${action}`,
            ),
            Aws.STACK_ID,
          ),
          allow(['rds:DescribeDBInstances'], ...instances.map((identifier) => rdsArn('db', identifier))),
          allow(['s3:GetObject', 's3:PutObject'], ...records),
          ...(deploy === undefined ? [] : [allow(['s3:GetObject'], s3Arn(results, statusName))]),
          ...(resultsKeyArn === undefined
            ? []
            : [
                new PolicyStatement({
                  actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
                  resources: [resultsKeyArn],
                  conditions: only('s3'),
                }),
              ]),
          ...(topicArn === undefined ? [] : [allow(['sns:Publish'], topicArn)]),
        ),
      },
      description: 'Lets a pgduet experiment delete its own stack',
    });
    const machine = new StateMachine(this, 'Machine', {
      comment: 'Deletes the stack at the end of its run, of its money or of its lifetime, or when the run is silent',
      role: role.withoutPolicyUpdates(),
      queryLanguage: QueryLanguage.JSONATA,
      timeout: Duration.minutes(4),
      definitionBody: DefinitionBody.fromChainable(deletionSteps(this, { ...steps, topicArn })),
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

function allow(actions: string[], ...resources: string[]): PolicyStatement {
  return new PolicyStatement({ actions, resources });
}
