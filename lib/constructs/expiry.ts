import { Aws, CfnParameter, Duration, Stack, Validations } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Choice, Condition, DefinitionBody, QueryLanguage, StateMachine, Succeed } from 'aws-cdk-lib/aws-stepfunctions';
import { CallAwsService } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';

export interface ExpiryProps {
  /** Default of the stack parameter LifetimeHours: hours from the creation of the stack. */
  readonly hours: number;
}

/**
 * Deletes the stack after its time, so that a forgotten one cannot cost money for days. The schedule looks every hour, from
 * the first hour on. So the template holds no date, and a deletion that failed is tried again until the stack is gone.
 *
 * Make it before everything else and let everything depend on `lastToGo`. Then it is there as long as anything is.
 */
export class Expiry extends Construct {
  readonly lastToGo: CfnSchedule;
  readonly lifetimeHours: CfnParameter;

  constructor(scope: Construct, id: string, { hours }: ExpiryProps) {
    super(scope, id);
    const stack = Stack.of(this);
    this.lifetimeHours = new CfnParameter(stack, 'LifetimeHours', {
      type: 'Number',
      default: hours,
      minValue: 1,
      description: 'Hours from the creation of this stack after which it deletes itself. Raise it to go on longer.',
    });

    const machine = this.machine();
    const scheduleRole = new Role(this, 'ScheduleRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: { start: allow(['states:StartExecution'], [machine.stateMachineArn]) },
      description: 'Lets the expiry of a pgduet experiment look whether the time has come',
    });
    this.lastToGo = new CfnSchedule(this, 'Schedule', {
      description: `Deletes the stack ${Aws.STACK_NAME} after its time`,
      flexibleTimeWindow: { mode: 'OFF' },
      scheduleExpression: 'rate(1 hour)',
      target: {
        arn: machine.stateMachineArn,
        roleArn: scheduleRole.roleArn,
        // The next hour tries again anyway; the library's 185 retries would only pile up.
        retryPolicy: { maximumRetryAttempts: 2, maximumEventAgeInSeconds: 600 },
      },
    });
  }

  private machine(): StateMachine {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('states.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
      inlinePolicies: {
        // The deletion uses the role that deployed the stack, so that nothing else is needed here.
        expire: allow(['cloudformation:DeleteStack', 'cloudformation:DescribeStacks'], [Aws.STACK_ID]),
      },
      description: 'Lets the expiry of a pgduet experiment delete its own stack',
    });
    const look = CallAwsService.jsonata(this, 'LookAtStack', {
      service: 'cloudformation',
      action: 'describeStacks',
      parameters: { StackName: Aws.STACK_ID },
      iamResources: [Aws.STACK_ID],
      outputs: {
        hoursOld:
          '{% ($toMillis($states.context.State.EnteredTime) - $toMillis($states.result.Stacks[0].CreationTime)) / 3600000 %}',
      },
    });
    // By id, not by name: a stack of the same name that was made later is another one.
    const remove = CallAwsService.jsonata(this, 'DeleteStack', {
      service: 'cloudformation',
      action: 'deleteStack',
      parameters: { StackName: Aws.STACK_ID },
      iamResources: [Aws.STACK_ID],
    });
    const machine = new StateMachine(this, 'Machine', {
      comment: 'Deletes the stack once it is older than its lifetime',
      role: role.withoutPolicyUpdates(),
      queryLanguage: QueryLanguage.JSONATA,
      timeout: Duration.minutes(5),
      definitionBody: DefinitionBody.fromChainable(
        look.next(
          Choice.jsonata(this, 'TimeIsUp')
            .when(Condition.jsonata(`{% $states.input.hoursOld >= ${this.lifetimeHours.valueAsString} %}`), remove)
            .otherwise(Succeed.jsonata(this, 'NotYet')),
        ),
      ),
    });
    Validations.of(machine).acknowledge(
      {
        id: 'AwsSolutions-SF1',
        reason: 'Its executions are kept by Step Functions; a log group would outlive the stack.',
      },
      { id: 'AwsSolutions-SF2', reason: 'Two calls an hour to one service need no tracing.' },
    );
    return machine;
  }
}

function allow(actions: string[], resources: string[]): PolicyDocument {
  return new PolicyDocument({ statements: [new PolicyStatement({ actions, resources })] });
}
