import { describe, expect, it } from 'vitest';
import { maxDollars } from '../../runner/rds/prices/margin.ts';
import { deleteAfterKey, deployKey, savedKey } from '../../runner/contract/status.ts';
import { executeMachine, type StateMachine } from '../helpers/state-machine.ts';
import { experimentStack, joined, synthesize, type TestStackOptions } from '../helpers/synthesize.ts';

const price = { whole: 20, withoutDatabases: 1 };
const prices = new Map([['us-east-1', price]]);
const notify = { topicArn: 'arn:aws:sns:us-east-1:123456789012:team' };

function machineOf(options: TestStackOptions = {}): StateMachine {
  const stack = experimentStack('dlv-pgbench', {
    profile: 'smoke',
    prices,
    ...options,
    change: (experiment) => ({ ...experiment, notify, ...options.change?.(experiment) }),
  });
  const { only } = synthesize(stack);
  const text = joined(only('AWS::StepFunctions::StateMachine').Properties['DefinitionString'])
    .replaceAll('${AWS::Region}', 'us-east-1')
    .replaceAll('${AWS::StackName}', 'pgduet-dlv-pgbench-alice');
  return JSON.parse(text) as StateMachine;
}

const smoke = machineOf();
const limit = 14;
const createdAt = Date.parse('2026-11-28T12:00:00Z');
const minute = 60_000;

function deployOf(machine: StateMachine): string {
  const text = JSON.stringify(machine).replaceAll('\\"', '"');
  return new RegExp(`${deployKey}([0-9a-f]{12})"`).exec(text)?.[1] ?? '';
}

/** What the state machine can see, by the minutes since the creation of the stack. */
interface World {
  /** When the databases become available; not before, or never. */
  availableAt?: number;
  /** Calls that fail for good, and how. @default as one that may not be made */
  refused?: { calls: RegExp; how?: string };
  /** When CloudFormation has given up rolling back the creation. */
  rollbackFailedAt?: number;
  /** From when a person's deletion hangs. */
  hangsFrom?: number;
  /** CloudFormation begins each deletion and cancels it: another stack uses an output. */
  isExported?: boolean;
  /** When the run writes its status: from when until when, perhaps again later. */
  run?: readonly (readonly [from: number, until: number])[];
  /** Whether the last status proves that everything is saved. @default if it allows the deletion */
  isSaved?: boolean;
  /** Whether the run is that of an earlier deploy. */
  isFormer?: boolean;
  /** From when the status allows the deletion. */
  deleteAfter?: number;
  /** When the last update of the stack began; it takes no time unless `updatingUntil` says so. */
  changedAt?: number;
  updatingUntil?: number;
  /** It is updated again each time after so many minutes. */
  changedEvery?: number;
  /** Whether CloudFormation refuses to cancel an update. @default it rolls it back in ten minutes */
  isUncancellable?: boolean;
  /** How often S3, SNS and RDS, or only some calls, first answer that they are busy, at each look in this time. */
  busy?: { times: number; calls?: RegExp; from?: number; until?: number };
  /** Whether the deletion fails, and from when it would succeed. */
  undeletableUntil?: number;
  /** From when CloudFormation refuses the deletion, and until when: the state of the stack remains as it was. */
  protectedIn?: readonly [from: number, until: number];
  /** How long a deletion takes; then it succeeds. */
  deletingMinutes?: number;
  /** The first call of each look at the stack fails. */
  throttled?: boolean;
  /** What is left of the stack is on more than one page. */
  isPaged?: boolean;
}

interface Outcome {
  /** Minutes at which the deletion that succeeded began; null if none did. */
  deletedAt: number | null;
  /** Messages by the minutes at which they were sent. */
  messages: [minutes: number, text: string][];
  records: string[];
  /** What happened besides looks, in order. */
  acts: string[];
}

/** Looks every five minutes, as the schedule does, until the stack deletes itself. */
async function live(world: World, machine: StateMachine = smoke, lastMinute = 600, firstMinute = 2): Promise<Outcome> {
  const outcome: Outcome = { deletedAt: null, messages: [], records: [], acts: [] };
  const written = new Map<string, Date>();
  let state = 'CREATE_COMPLETE';
  let cancelledAt = Infinity;
  const stateAt = (minutes: number): string => {
    const {
      changedAt = world.changedEvery ?? Infinity,
      updatingUntil = 0,
      rollbackFailedAt = Infinity,
      hangsFrom = Infinity,
    } = world;
    if (minutes >= hangsFrom) return 'DELETE_IN_PROGRESS';
    if (state === 'CREATE_COMPLETE' && minutes >= rollbackFailedAt) return 'ROLLBACK_FAILED';
    if (state !== 'CREATE_COMPLETE' || minutes < changedAt) return state;
    if (minutes >= cancelledAt) return `UPDATE_ROLLBACK_${minutes < cancelledAt + 10 ? 'IN_PROGRESS' : 'COMPLETE'}`;
    return minutes < updatingUntil ? 'UPDATE_IN_PROGRESS' : 'UPDATE_COMPLETE';
  };
  const timeOf = (minutes: number): string => new Date(createdAt + minutes * minute).toISOString();
  let goneAt = Infinity;
  for (let minutes = firstMinute; minutes <= Math.min(lastMinute, goneAt) && outcome.deletedAt === null; minutes += 5) {
    const at = new Date(createdAt + minutes * minute);
    let isThrottled = world.throttled === true;
    const { times = 0, calls = /^(s3|sns|rds):/, from: busyFrom = 0, until: busyUntil = Infinity } = world.busy ?? {};
    const answers = new Map<string, number>();
    const call = (action: string, parameters: Record<string, string>): unknown => {
      const answered = answers.get(action) ?? 0;
      answers.set(action, answered + 1);
      const isBusy = calls.test(action) && minutes >= busyFrom && minutes < busyUntil;
      if (isBusy && answered < times) throw new Error('null (Service: S3, Status Code: 503, Request ID: made-up)');
      const { calls: refusedCalls, how = 'Access Denied (Service: made up, Status Code: 403, Request ID: made-up)' } =
        world.refused ?? {};
      if (refusedCalls?.test(action)) throw new Error(how);
      switch (action) {
        case 'cloudformation:describeStacks': {
          if (isThrottled) {
            isThrottled = false;
            throw new Error('Throttling');
          }
          const { changedEvery } = world;
          const changedAt = changedEvery
            ? Math.floor(minutes / changedEvery) * changedEvery
            : (world.changedAt ?? Infinity);
          const changed = minutes < changedAt ? {} : { LastUpdatedTime: timeOf(changedAt) };
          const { hangsFrom = Infinity } = world;
          const deletedFrom = Math.min(hangsFrom, goneAt - (world.deletingMinutes ?? 0));
          const deleted = minutes < deletedFrom ? {} : { DeletionTime: timeOf(deletedFrom) };
          return { Stacks: [{ StackStatus: stateAt(minutes), CreationTime: timeOf(0), ...changed, ...deleted }] };
        }
        case 'rds:describeDBInstances': {
          if (minutes < (world.availableAt ?? Infinity) - 20)
            throw new Error('DBInstance not found (Status Code: 404)');
          const isThere = world.availableAt !== undefined && minutes >= world.availableAt;
          const created = { DbInstanceStatus: 'available', InstanceCreateTime: timeOf(world.availableAt ?? 0) };
          return { DbInstances: [isThere ? created : { DbInstanceStatus: 'creating' }] };
        }
        case 's3:getObject': {
          const written = (world.run ?? []).flatMap(([from, until]) =>
            minutes < from ? [] : [Math.min(minutes, until)],
          );
          const last = written.at(-1);
          if (last === undefined) throw new Error('AccessDenied');
          const { deleteAfter, isSaved = deleteAfter !== undefined } = world;
          const time = deleteAfter === undefined ? '' : `${deleteAfterKey}${timeOf(deleteAfter)}",`;
          const ended = isSaved ? `${time} ${savedKey}}` : '';
          const Body = `{ ${deployKey}${world.isFormer ? 'ffffffffffff' : deployOf(machine)}", ${minutes > last ? ended : ''} }`;
          return { Body, LastModified: timeOf(last) };
        }
        case 's3:headObject': {
          const found = written.get(parameters['Key'] ?? '');
          if (!found) throw new Error('AccessDenied');
          return { LastModified: found.toISOString() };
        }
        case 's3:putObject': {
          written.set(parameters['Key'] ?? '', at);
          const { state: recorded } = parameters['Body'] as unknown as { state: string };
          outcome.records.push(recorded);
          outcome.acts.push(`record ${recorded}`);
          return {};
        }
        case 'sns:publish':
          outcome.messages.push([minutes, parameters['Message'] ?? '']);
          outcome.acts.push('message');
          return {};
        case 'cloudformation:listStackResources':
          return {
            ...(world.isPaged && { NextToken: 'more' }),
            StackResourceSummaries: [
              {
                LogicalResourceId: 'One',
                ResourceType: world.isPaged ? 'AWS::EC2::VPC' : 'AWS::RDS::DBInstance',
                ResourceStatus: 'DELETE_FAILED',
              },
              { LogicalResourceId: 'Two', ResourceType: 'AWS::EC2::Instance', ResourceStatus: 'DELETE_COMPLETE' },
            ],
          };
        case 'cloudformation:cancelUpdateStack':
          outcome.acts.push('cancel');
          if (world.isUncancellable) throw new Error('CancelUpdateStack cannot be called');
          cancelledAt = minutes;
          return {};
        case 'cloudformation:deleteStack':
          outcome.acts.push('delete');
          if (/UPDATE_.*IN_PROGRESS/.test(stateAt(minutes))) {
            throw new Error(`Stack cannot be deleted while in status ${stateAt(minutes)}`);
          }
          if (world.protectedIn && minutes >= world.protectedIn[0] && minutes < world.protectedIn[1]) {
            throw new Error('Stack cannot be deleted while TerminationProtection is enabled');
          }
          if (world.isExported) return {};
          if (world.deletingMinutes !== undefined) {
            state = 'DELETE_IN_PROGRESS';
            goneAt = minutes + world.deletingMinutes;
          } else if (minutes < (world.undeletableUntil ?? 0)) state = 'DELETE_FAILED';
          else outcome.deletedAt = minutes;
          return {};
        default:
          throw new Error(`Not expected: ${action}`);
      }
    };
    await executeMachine(machine, call, at);
  }
  return outcome;
}

/** What AWS has billed when the stack is gone, ten minutes after the deletion began. */
function bill({ deletedAt }: Outcome, availableAt: number): number {
  const goneAt = (deletedAt ?? Infinity) + 10;
  const early = Math.min(availableAt, goneAt);
  return (early * price.withoutDatabases + (goneAt - early) * price.whole) / 60;
}

describe('a stack is gone before its limit and the margin are spent, whoever is alive', () => {
  const healthy = [[30, 10_000]] as const;
  it.each<[string, World & { availableAt: number }]>([
    ['whose run goes on for ever', { availableAt: 25, run: healthy }],
    ['whose driver never begins', { availableAt: 25 }],
    ['whose driver is gone before the databases are there', { availableAt: 60 }],
    ['whose driver is gone in its first minute', { availableAt: 25, run: [[30, 31]] }],
    ['whose driver is gone shortly before the end', { availableAt: 25, run: [[30, 60]] }],
    ['whose databases take an hour', { availableAt: 60, run: [[65, 10_000]] }],
  ])('%s', async (_, world) => {
    const outcome = await live(world);
    expect(bill(outcome, world.availableAt)).toBeLessThanOrEqual(maxDollars(limit, price.whole));
  });

  it('by its lifetime, if no database becomes available', async () => {
    expect((await live({})).deletedAt).toBe(182);
  });

  it('and counts the databases from its creation, if RDS does not say since when they are billed', async () => {
    const outcome = await live({ availableAt: 25, run: healthy, refused: { calls: /^rds:/, how: 'Throttling' } });
    expect(outcome.deletedAt).toBe(57);
  });

  it('and says why, with the sum, and records it before', async () => {
    const outcome = await live({ availableAt: 25, run: healthy });
    expect(outcome.acts).toEqual(['record begun', 'message', 'delete']);
    expect(outcome.messages[0]?.[1]).toMatch(
      /^The stack pgduet-dlv-pgbench-alice is deleting itself: limits\.dollars is 14, and that is spent\. It has cost at most 19\.\d\d dollars\. Its results: s3:/,
    );
  });

  it('while a database is being created, the limit does not end it', async () => {
    const outcome = await live({ availableAt: 120, run: [[125, 10_000]] });
    expect(outcome.deletedAt).toBeGreaterThan(160);
  });
});

describe('a run without a sign of life', () => {
  /** Of the experiment without a profile: its limit is far away. */
  const long = machineOf({ profile: 'replicas' });

  it('ends its stack half an hour after a message, an hour after its last status', async () => {
    const outcome = await live({ availableAt: 25, run: [[40, 100]] }, long);
    expect(outcome.acts).toEqual(['record silent', 'message', 'record begun', 'message', 'delete']);
    const [[warnedAt, warning] = [0, '']] = outcome.messages;
    expect(warning).toContain('deletes itself in 30 minutes: its run has sent no update for an hour');
    expect(warnedAt).toBe(162);
    expect(outcome.deletedAt).toBe(192);
  });

  it('that comes back after the message gets another one, however soon it is silent again', async () => {
    const run = [
      [40, 100],
      [175, 185],
    ] as const;
    const outcome = await live({ availableAt: 25, run }, long);
    expect(outcome.messages.slice(0, 2).map(([at]) => at)).toEqual([162, 247]);
    expect(outcome.deletedAt).toBe(277);
  });

  it('that has never written one has the time of a pre-flight before that', async () => {
    const outcome = await live({ availableAt: 25 }, long);
    expect(outcome.messages[0]?.[0]).toBe(192);
    expect(outcome.deletedAt).toBe(222);
  });

  it('keeps its stack if it comes back within half an hour, and gets another message if it is silent again', async () => {
    const run = [
      [40, 100],
      [175, 300],
    ] as const;
    const outcome = await live({ availableAt: 25, run }, long);
    expect(outcome.messages.slice(0, 2).map(([at]) => at)).toEqual([162, 362]);
    expect(outcome.deletedAt).toBe(392);
  });

  it('keeps its stack while that is being created or changed', async () => {
    expect((await live({}, long, 170)).acts).toEqual([]);
    const changed = { availableAt: 25, run: [[40, 100]], changedAt: 150 } as const;
    expect((await live(changed, long, 300)).acts).toEqual([]);
  });

  it('keeps its stack after its end, for as long as its status says', async () => {
    const outcome = await live({ availableAt: 25, run: [[40, 100]], deleteAfter: 172 }, long, 300);
    expect(outcome.deletedAt).toBe(172);
    expect(outcome.messages).toEqual([[172, expect.stringContaining('its run has ended, and all its results')]]);
  });

  it('that ended when its stack was to be kept has its grace time, once a later deploy lets the stack go', async () => {
    const world = { availableAt: 25, run: [[40, 100]], isSaved: true } as const;
    expect((await live(world, long, 300)).deletedAt).toBe(132);
    // The deploy came hours later: the next look deletes it.
    const late = await live({ ...world, changedAt: 298 }, long, 310, 302);
    expect(late.deletedAt).toBe(302);
    expect(late.messages).toEqual([[302, expect.stringContaining('its run has ended, and all its results')]]);
  });

  it('is not deleted without a record of the message, but a person is told', async () => {
    const refused = { calls: /^s3:(head|put)Object/ };
    const outcome = await live({ availableAt: 25, run: [[40, 100]], refused }, long, 275);
    expect(outcome.messages.map(([at]) => at)).toEqual([182, 212, 242, 272]);
    expect(outcome.deletedAt).toBe(null);
  });
});

it('a deletion that fails is tried at each look, and a message each hour says what is left and what it costs', async () => {
  const outcome = await live({ availableAt: 25, run: [[30, 10_000]], undeletableUntil: 210 });
  const [[begunAt] = [0]] = outcome.messages;
  const failures = outcome.messages.slice(1);
  expect(failures.map(([at]) => at)).toEqual([begunAt + 5, begunAt + 65, begunAt + 125]);
  expect(failures[0]?.[1]).toBe(
    'The stack pgduet-dlv-pgbench-alice is still there, and costs at most 20.00 dollars an hour. What could not be deleted: One (AWS::RDS::DBInstance). Its events in CloudFormation say why. It retries every few minutes.',
  );
  expect(outcome.acts.filter((act) => act === 'delete').length).toBeGreaterThan(20);
  expect(outcome.deletedAt).toBe(212);
});

describe('a deletion that CloudFormation refuses, as with termination protection,', () => {
  const spent = { availableAt: 25, run: [[30, 10_000]] } as const;

  it('is announced once, and a message each hour says that it was refused, and why', async () => {
    const outcome = await live({ ...spent, protectedIn: [0, 210] });
    const [[begunAt] = [0], ...refusals] = outcome.messages;
    expect(outcome.records).toEqual(['begun', 'failed', 'failed', 'failed']);
    expect(refusals.map(([at]) => at)).toEqual([begunAt, begunAt + 60, begunAt + 120]);
    expect(refusals[0]?.[1]).toMatch(
      /^The stack pgduet-dlv-pgbench-alice is still there, and costs at most 20\.00 dollars an hour\. CloudFormation rejected its deletion\. It retries every few minutes\. The reason: .*TerminationProtection is enabled$/,
    );
    expect(outcome.deletedAt).toBe(212);
  });

  it('is announced again after the stack was changed', async () => {
    const [[begunAt] = [0]] = (await live(spent)).messages;
    const world = { ...spent, protectedIn: [0, begunAt + 5] } as const;
    expect((await live(world)).messages.length).toBe(2);
    const { acts } = await live({ ...world, changedAt: begunAt + 1 });
    expect(acts.slice(-5)).toEqual(['record limit', 'message', 'record begun', 'message', 'delete']);
  });

  it('at the first attempts only, needs no message', async () => {
    const outcome = await live({ ...spent, throttled: true });
    expect(outcome.acts).toEqual(['record begun', 'message', 'delete']);
  });
});

describe('a stack that CloudFormation updates', () => {
  const spent = { availableAt: 25, run: [[30, 10_000]] } as const;
  const long = machineOf({ profile: 'replicas' });
  const changedAt = 80;

  it('goes when that has ended, and nobody gets a message that it could not be deleted', async () => {
    const ended = { availableAt: 25, run: [[30, 60]], deleteAfter: 90, changedAt, updatingUntil: 94 } as const;
    const outcome = await live(ended, long);
    expect(outcome.acts).toEqual(['record begun', 'message', 'delete']);
    expect(outcome.deletedAt).toBe(97);
  });

  it('gets a quarter of an hour; then the update is cancelled, with a message, and the stack goes', async () => {
    const ended = { availableAt: 25, run: [[30, 60]], deleteAfter: 90, changedAt, updatingUntil: 10_000 } as const;
    const outcome = await live(ended, long);
    expect(outcome.acts).toEqual(['cancel', 'record failed', 'message', 'record begun', 'message', 'delete']);
    expect(outcome.messages[0]).toEqual([
      97,
      'The stack pgduet-dlv-pgbench-alice is still there, and costs at most 20.00 dollars an hour. It is to delete itself, but its update had not ended after 15 minutes, so that pgduet has cancelled it, and CloudFormation rolls it back.',
    ]);
    expect(outcome.deletedAt).toBe(107);
  });

  it('is told of each hour, if CloudFormation refuses to cancel that', async () => {
    const outcome = await live({ ...spent, changedAt, updatingUntil: 10_000, isUncancellable: true }, smoke, 175);
    expect(outcome.acts).not.toContain('delete');
    expect(outcome.messages.map(([at]) => at)).toEqual([97, 157]);
    expect(outcome.messages[0]?.[1]).toMatch(
      /rejected the cancellation of the update\. The reason: .*CancelUpdateStack cannot be called$/,
    );
  });
});

describe('a limit that an update of the stack may have lowered', () => {
  const running = { availableAt: 25, run: [[30, 10_000]] } as const;

  it('ends the stack half an hour after a message, in which its run learns of it, and saves', async () => {
    const changedAt = 146;
    const lowered = await live({ ...running, availableAt: 100, changedAt });
    expect(lowered.acts).toEqual(['record limit', 'message', 'record begun', 'message', 'delete']);
    const [[warnedAt, text] = [0, '']] = lowered.messages;
    expect(text).toBe(
      `The stack pgduet-dlv-pgbench-alice deletes itself in ${changedAt + 30 - warnedAt} minutes: limits.dollars is 14, and that is spent. What is not in S3 by then is lost. To keep the stack, deploy it again with a later expiry, or a higher limits.dollars.`,
    );
    expect(lowered.deletedAt).toBe(177);
  });

  it('ends it as any other, once its run has had half an hour to learn of it', async () => {
    const { deletedAt } = await live(running);
    expect(await live({ ...running, changedAt: 30 })).toEqual(await live(running));
    const late = await live({ ...running, changedAt: 70 });
    expect([deletedAt, late.deletedAt]).toEqual([82, 102]);
  });

  it('ends it although S3 refuses the record of the message, which is not repeated at every look', async () => {
    const world = { ...running, changedAt: 70, refused: { calls: /^s3:/ } };
    const outcome = await live(world);
    expect(outcome.deletedAt).toBe(102);
    expect(outcome.messages.map(([at]) => at)).toEqual([82]);
  });

  it('ends it half an hour after the message, although it is updated again and again', async () => {
    const outcome = await live({ ...running, changedEvery: 25 });
    expect(outcome.deletedAt).toBe(112);
  });
});

describe('a stack of which something is left', () => {
  const spent = { availableAt: 25, run: [[30, 10_000]] } as const;
  const long = machineOf({ profile: 'replicas' });

  it('because the rollback of its creation failed, is deleted, told of at once and each hour', async () => {
    const outcome = await live({ availableAt: 25, rollbackFailedAt: 40, undeletableUntil: 180 }, long);
    expect(outcome.messages.map(([at]) => at)).toEqual([42, 102, 162]);
    expect(outcome.messages[0]?.[1]).toContain(
      'is still there, and costs at most 20.00 dollars an hour. What could not be deleted: One (AWS::RDS::DBInstance).',
    );
    expect(outcome.acts.filter((act) => act === 'delete').length).toBe(29);
    expect(outcome.deletedAt).toBe(182);
  });

  it('because a deletion that a person began hangs, is told of each hour', async () => {
    const outcome = await live({ availableAt: 25, hangsFrom: 60 }, long, 200);
    expect(outcome.acts).toEqual(['record failed', 'message', 'record failed', 'message']);
    expect(outcome.messages[0]).toEqual([122, expect.stringContaining('Its deletion began more than an hour ago')]);
  });

  it('because CloudFormation cancels each deletion, is told of each hour', async () => {
    const outcome = await live({ ...spent, isExported: true }, smoke, 210);
    expect(outcome.messages.map(([at]) => at)).toEqual([82, 87, 147, 207]);
    expect(outcome.messages[1]?.[1]).toContain('CloudFormation has cancelled its deletion');
  });
});

describe('whatever refuses the state machine for good, DeleteStack is called within the limit and the margin', () => {
  const services = ['s3', 'sns', 'rds'];
  const combinations = Array.from({ length: 2 ** services.length }, (_, bits) =>
    services.filter((_, bit) => (bits >> bit) % 2 === 1),
  ).filter((refused) => refused.length > 0);
  const answers = {
    denied: 'Access Denied (Service: made up, Status Code: 403, Request ID: made-up)',
    busy: 'Slow down (Service: made up, Status Code: 503, Request ID: made-up)',
  };
  it.each(combinations.map((refused) => [refused.join(', ')]))('%s', async (refused) => {
    const calls = new RegExp(`^(${refused.replaceAll(', ', '|')}):`);
    for (const how of Object.values(answers)) {
      for (const changedAt of [undefined, 40, 70]) {
        const update = changedAt === undefined ? {} : { changedAt };
        const world = { availableAt: 25, run: [[30, 10_000]], refused: { calls, how }, ...update } as const;
        const outcome = await live(world);
        const late = changedAt === undefined ? 0 : changedAt + 45 - 92;
        expect(bill(outcome, 25)).toBeLessThanOrEqual(
          maxDollars(limit, price.whole) + (Math.max(0, late) / 60) * price.whole,
        );
        // One of them says that it deletes itself soon, and two that it does.
        expect(outcome.messages.length).toBeLessThanOrEqual(3);
        const expired = await live({ ...world, availableAt: 10_000 });
        expect(expired.deletedAt).toBeLessThanOrEqual(187);
      }
    }
  });
});

it('no call keeps the machine so long that its execution ends before the deletion', () => {
  const states = [smoke, ...Object.values(smoke.States).flatMap(({ ItemProcessor }) => ItemProcessor ?? [])];
  const tasks = states.flatMap(({ States }) => Object.values(States)).filter(({ Type }) => Type === 'Task');
  for (const { Resource, TimeoutSeconds } of tasks) {
    if (!Resource?.includes(':cloudformation:')) expect(TimeoutSeconds, Resource).toBe(10);
  }
});

describe('services that are busy', () => {
  const long = machineOf({ profile: 'replicas' });
  const silent = { availableAt: 25, run: [[40, 100]] } as const;

  it('for one answer change nothing', async () => {
    expect(await live({ ...silent, busy: { times: 1 } }, long)).toEqual(await live(silent, long));
    const spent = { availableAt: 25, run: [[30, 10_000]] } as const;
    expect(await live({ ...spent, busy: { times: 1 } })).toEqual(await live(spent));
  });

  it('for a whole look make no record count as missing, and no run as silent', async () => {
    const records = { times: 9, calls: /^s3:headObject/, from: 165, until: 185 };
    expect(await live({ ...silent, busy: records }, long)).toEqual(await live(silent, long));
    const status = { times: 9, calls: /^s3:getObject/, from: 240, until: 260 };
    const alive = { availableAt: 25, run: [[40, 10_000]], busy: status } as const;
    expect((await live(alive, long, 300)).acts).toEqual([]);
  });
});

it('a run that waited for the end of a former one has the time of a pre-flight from then', async () => {
  const long = machineOf({ profile: 'replicas' });
  const former = { availableAt: 25, changedAt: 50, run: [[40, 100]], isFormer: true } as const;
  expect((await live({ ...former, isSaved: true }, long)).messages[0]?.[0]).toBe(267);
  // One that died without saving has no successor.
  expect((await live(former, long)).messages[0]?.[0]).toBe(162);
});

it('a deletion that takes long is announced each hour', async () => {
  const outcome = await live({ availableAt: 25, run: [[30, 10_000]], deletingMinutes: 140 });
  const [[begunAt] = [0], ...waits] = outcome.messages;
  expect(waits.map(([at]) => at)).toEqual([begunAt + 60, begunAt + 120]);
  expect(waits[0]?.[1]).toContain('Its deletion began more than an hour ago, and has not ended.');
  expect(outcome.acts.filter((act) => act === 'delete').length).toBe(1);
});

it('what a failed deletion has left costs the whole price, if not all of that is known', async () => {
  const { messages } = await live({ availableAt: 25, run: [[30, 10_000]], undeletableUntil: 210, isPaged: true });
  expect(messages[1]?.[1]).toContain(
    'costs at most 20.00 dollars an hour. What could not be deleted: One (AWS::EC2::VPC).',
  );
});

it('the limit ends a stack that is to be kept, too, but its run’s silence does not', async () => {
  const kept = machineOf({ change: (experiment) => ({ ...experiment, whenDone: 'keep' }) });
  expect((await live({ availableAt: 25 }, kept)).deletedAt).toBe(
    (await live({ availableAt: 25, run: [[30, 10_000]] })).deletedAt,
  );
  const long = machineOf({ profile: 'replicas', change: (experiment) => ({ ...experiment, whenDone: 'keep' }) });
  expect((await live({ availableAt: 25 }, long, 170)).acts).toEqual([]);
});

it('where the price is unknown, the lifetime ends the stack, and no message has a sum', async () => {
  const outcome = await live({ availableAt: 25, run: [[30, 10_000]] }, machineOf({ prices: new Map() }));
  expect(outcome.deletedAt).toBe(182);
  expect(outcome.messages[0]?.[1]).not.toContain('dollars');
});
