import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import {
  deleteAfterKey,
  deployKey,
  parseRunStatus,
  savedKey,
  statusHeadBytes,
  statusText,
} from '../../runner/contract/status.ts';
import { experimentStack, joined, project, synthesize } from '../helpers/synthesize.ts';

const synthesized = synthesize(experimentStack('dlv-pgbench'));
const { only, resources } = synthesized;

interface State {
  Next?: string;
  Default?: string;
  Choices?: { Condition: string; Next: string }[];
  Arguments?: object;
  Output?: Record<string, string>;
  Catch?: { ErrorEquals: string[]; Next: string }[];
}

function machineOf({ only: of }: typeof synthesized): { StartAt: string; States: Record<string, State> } {
  return JSON.parse(joined(of('AWS::StepFunctions::StateMachine').Properties['DefinitionString'])) as {
    StartAt: string;
    States: Record<string, State>;
  };
}

function statementsOf({ resources: of }: typeof synthesized): unknown {
  const role = Object.values(of('AWS::IAM::Role')).find(({ Properties }) =>
    JSON.stringify(Properties['AssumeRolePolicyDocument']).includes('states.amazonaws.com'),
  );
  const [policy] = role?.Properties['Policies'] as { PolicyDocument: { Statement: unknown } }[];
  return policy?.PolicyDocument.Statement;
}

const bindingOf = ({ resources: of }: typeof synthesized): string =>
  joined(of('AWS::SSM::Parameter')['Binding']?.Properties['Value']);

const changed = (change: Partial<Experiment>): typeof synthesized =>
  synthesize(experimentStack('dlv-pgbench', { change: (experiment) => ({ ...experiment, ...change }) }));

describe('a stack that deletes itself', () => {
  it('has the lifetime that its newest deploy asks for: no parameter keeps an earlier one', () => {
    const lifetimeOf = (made: typeof synthesized): unknown => {
      expect(Object.keys(made.json.Parameters).filter((name) => /lifetime|hours/i.test(name))).toEqual([]);
      const condition = machineOf(made).States['TimeIsUp']?.Choices?.at(-1)?.Condition;
      return [condition, /"lifetimeHours":\d+/.exec(bindingOf(made))?.[0]];
    };
    expect(lifetimeOf(synthesized)).toEqual(['{% $states.input.hoursOld >= 24 %}', '"lifetimeHours":24']);
    const later = changed({ expiry: { kind: 'after', hours: 20 } });
    expect(lifetimeOf(later)).toEqual(['{% $states.input.hoursOld >= 20 %}', '"lifetimeHours":20']);
  });

  it('looks every five minutes, with few retries, until it is gone', () => {
    expect(only('AWS::Scheduler::Schedule').Properties).toMatchObject({
      ScheduleExpression: 'rate(5 minutes)',
      Target: { RetryPolicy: { MaximumRetryAttempts: 2 } },
    });
  });

  it('makes the role of the schedule first and the schedule last, since Scheduler refuses a role that is too new', () => {
    const [role = ''] = Object.entries(resources('AWS::IAM::Role')).flatMap(([id, { Properties }]) =>
      JSON.stringify(Properties['AssumeRolePolicyDocument']).includes('scheduler.amazonaws.com') ? [id] : [],
    );
    expect(only('AWS::StepFunctions::StateMachine').DependsOn).toContain(role);
    const [policy = ''] = Object.entries(resources('AWS::IAM::Policy')).flatMap(([id, { Properties }]) =>
      JSON.stringify(Properties['Roles']).includes(role) ? [id] : [],
    );
    expect(only('AWS::Scheduler::Schedule').DependsOn).toContain(policy);
  });

  it('goes by its id once it is old enough, whatever the run says', () => {
    const { StartAt, States } = machineOf(synthesized);
    expect(StartAt).toBe('LookAtStack');
    expect(States['LookAtStack']).toMatchObject({ Next: 'TimeIsUp', Arguments: { StackName: '${AWS::StackId}' } });
    expect(States['TimeIsUp']).toMatchObject({
      Choices: [
        { Condition: "{% $states.input.state = 'DELETE_IN_PROGRESS' %}", Next: 'TakesAnHour' },
        { Condition: "{% $states.input.state in ['DELETE_FAILED', 'ROLLBACK_FAILED'] %}", Next: 'WhatIsLeft' },
        { Condition: '{% $states.input.hoursOld >= 24 %}', Next: 'LimitMayBeNew' },
      ],
      Default: 'LookAtDatabases',
    });
    expect(States['DeleteStack']).toMatchObject({ Arguments: { StackName: '${AWS::StackId}' } });
  });

  it('goes when the status of the run says so, and not where that cannot be read', () => {
    const { LookAtRun, RunHasEnded } = machineOf(synthesized).States;
    expect(LookAtRun).toMatchObject({
      Arguments: {
        Key: expect.stringMatching(/^dlv-pgbench\/alice\/.*\/status\.json$/) as string,
        Range: 'bytes=0-1023',
      },
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'RunHasEnded' }],
    });
    expect(RunHasEnded).toMatchObject({
      Choices: [
        { Condition: '{% $states.input.mayGo %}', Next: 'IsBeingUpdated' },
        { Condition: '{% $states.input.hasEnded %}', Next: 'NotYet' },
        { Next: 'LookAt-silent' },
      ],
      Default: 'NotYet',
    });
    // What it looks for is at the beginning of every status, however long.
    const text = readFileSync(path.join(project, 'test/fixtures/status/v3/finished.json'), 'utf8');
    const status = { ...parseRunStatus(text, 'status.json'), deploy: 'a1b2c3d4e5f6' };
    const long = statusText({ ...status, trials: Array.from({ length: 2000 }, () => status.trials[0] ?? never()) });
    expect(long.slice(0, statusHeadBytes)).toContain(`${deleteAfterKey}${status.deleteAfter ?? ''}"`);
    expect(long.slice(0, statusHeadBytes)).toContain(`${deployKey}${status.deploy}"`);
    expect(long.slice(0, statusHeadBytes)).toContain(savedKey);
    expect(statusText({ ...status, saved: null })).not.toContain(savedKey);
    expect(statusText({ ...status, deleteAfter: null })).not.toContain(deleteAfterKey);
  });

  it('may do nothing but look at this stack, its databases and the one status, record what it does, and delete the stack', () => {
    expect(statementsOf(synthesized)).toMatchObject([
      {
        Action: ['CancelUpdateStack', 'DeleteStack', 'DescribeStacks', 'ListStackResources'].map(
          (action) => `cloudformation:${action}`,
        ),
        Resource: { Ref: 'AWS::StackId' },
      },
      { Action: 'rds:DescribeDBInstances' },
      { Action: ['s3:GetObject', 's3:PutObject'] },
      { Action: 's3:GetObject' },
    ]);
    const [, databases, records, status] = (statementsOf(synthesized) as { Resource: unknown }[]).map(({ Resource }) =>
      [Resource].flat().map(joined),
    );
    expect(databases).toEqual([
      expect.stringMatching(/:db:alice-dlv-pgbench-with-dlv$/),
      expect.stringMatching(/:db:alice-dlv-pgbench-without-dlv$/),
    ]);
    expect(records?.map((arn) => /deletion\/\w+\.json$/.exec(arn)?.[0])).toEqual([
      'deletion/begun.json',
      'deletion/failed.json',
      'deletion/limit.json',
      'deletion/silent.json',
    ]);
    expect(status).toEqual([expect.stringMatching(/\/status\.json$/)]);
  });

  it('goes after the end only, where it never expires', () => {
    const never = changed({ expiry: { kind: 'never', reason: 'a test of its own' } });
    expect(bindingOf(never)).toContain('"lifetimeHours":null');
    expect(machineOf(never).States['TimeIsUp']).toMatchObject({ Choices: [{}, {}], Default: 'LookAtDatabases' });
  });

  it('goes at the end of its lifetime or its money only, where it is kept; and not at all where it is kept for ever', () => {
    const kept = changed({ whenDone: 'keep' });
    expect(machineOf(kept).States['LimitIsReached']).toMatchObject({ Default: 'NotYet' });
    expect(machineOf(kept).States).not.toHaveProperty('LookAtRun');
    const forEver = changed({ whenDone: 'keep', expiry: { kind: 'never', reason: 'a test of its own' } });
    expect(Object.keys(forEver.resources('AWS::StepFunctions::StateMachine'))).toEqual([]);
  });

  it('tells a mail address, by TLS only, or a topic that is there, before it goes', () => {
    const mailed = changed({ notify: { email: 'alice@example.com' } });
    expect(mailed.only('AWS::SNS::Subscription').Properties).toMatchObject({ Endpoint: 'alice@example.com' });
    expect(machineOf(mailed).States['Tell']).toMatchObject({ Next: 'DeleteStack' });
    const topicArn = 'arn:aws:sns:us-east-1:123456789012:team';
    const reported = changed({ notify: { topicArn } });
    expect(Object.keys(reported.resources('AWS::SNS::Topic'))).toEqual([]);
    expect(statementsOf(reported)).toContainEqual({ Action: 'sns:Publish', Effect: 'Allow', Resource: topicArn });
  });

  it.each([
    ['', 5, synthesized],
    [', also what a message by mail needs', 8, changed({ notify: { email: 'alice@example.com' } })],
  ])('is made first and deleted last: everything else comes after it%s', (_, parts, { json, resources }) => {
    const after = (id: string, visited = new Set<string>()): Set<string> => {
      const resource = json.Resources[id];
      if (!resource || visited.has(id)) return visited;
      visited.add(id);
      const references = [...JSON.stringify(resource).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"([^"]+)"/g)];
      for (const next of [...(resource.DependsOn ?? []), ...references.map(([, name = '']) => name)])
        after(next, visited);
      return visited;
    };
    const [schedule = ''] = Object.keys(resources('AWS::Scheduler::Schedule'));
    const own = after(schedule);
    const early = Object.keys(json.Resources).filter((id) => !own.has(id) && !after(id).has(schedule));
    expect([...own].length).toBe(parts);
    expect(early).toEqual([]);
  });
});

function never(): never {
  throw new Error('a status without trials');
}
