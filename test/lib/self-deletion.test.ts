import { describe, expect, it } from 'vitest';
import { experimentStack, joined, synthesize } from '../helpers/synthesize.ts';

const { json, only, resources } = synthesize(experimentStack('dlv-pgbench'));

describe('the expiry', () => {
  it('has its time as a stack parameter', () => {
    expect(json.Parameters['LifetimeHours']).toMatchObject({ Type: 'Number', Default: 24 });
  });

  it('looks every hour, with few retries, until the stack is gone', () => {
    expect(only('AWS::Scheduler::Schedule').Properties).toMatchObject({
      ScheduleExpression: 'rate(1 hour)',
      Target: { RetryPolicy: { MaximumRetryAttempts: 2 } },
    });
  });

  it('deletes this stack by its id once it is old enough, and ends otherwise', () => {
    const definition = joined(only('AWS::StepFunctions::StateMachine').Properties['DefinitionString']);
    const machine = JSON.parse(definition) as {
      StartAt: string;
      States: Record<
        string,
        { Next?: string; Default?: string; Choices?: { Condition: string; Next: string }[]; Arguments?: unknown }
      >;
    };
    const { LookAtStack, TimeIsUp, DeleteStack } = machine.States;
    expect(machine.StartAt).toBe('LookAtStack');
    expect(LookAtStack).toMatchObject({ Next: 'TimeIsUp', Arguments: { StackName: '${AWS::StackId}' } });
    expect(TimeIsUp).toMatchObject({
      Choices: [{ Condition: '{% $states.input.hoursOld >= ${LifetimeHours} %}', Next: 'DeleteStack' }],
      Default: 'NotYet',
    });
    expect(DeleteStack).toMatchObject({ Arguments: { StackName: '${AWS::StackId}' } });
  });

  it('may do nothing but look at this stack and delete it', () => {
    const role = Object.values(resources('AWS::IAM::Role')).find(({ Properties }) =>
      JSON.stringify(Properties['AssumeRolePolicyDocument']).includes('states.amazonaws.com'),
    );
    expect(role?.Properties['Policies']).toMatchObject([
      {
        PolicyDocument: {
          Statement: [
            {
              Action: ['cloudformation:DeleteStack', 'cloudformation:DescribeStacks'],
              Resource: { Ref: 'AWS::StackId' },
            },
          ],
        },
      },
    ]);
  });

  it('is made first and deleted last: everything else comes after it', () => {
    const after = (id: string, seen = new Set<string>()): Set<string> => {
      const resource = json.Resources[id];
      if (!resource || seen.has(id)) return seen;
      seen.add(id);
      const references = [...JSON.stringify(resource).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"([^"]+)"/g)];
      for (const next of [...(resource.DependsOn ?? []), ...references.map(([, name = '']) => name)]) after(next, seen);
      return seen;
    };
    const [schedule = ''] = Object.keys(resources('AWS::Scheduler::Schedule'));
    const own = after(schedule);
    const early = Object.keys(json.Resources).filter((id) => !own.has(id) && !after(id).has(schedule));
    expect([...own].length).toBe(4);
    expect(early).toEqual([]);
  });
});
