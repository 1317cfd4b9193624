import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deletionName, type DeletionState, silenceMinutes } from '../../../runner/rds/contract/deletion.ts';
import { statusName } from '../../../runner/contract/status.ts';
import { billedSince, spentDollars, stackPrice } from '../../../runner/rds/prices/bill.ts';
import { deletionMinutes, lookMinutes, maxDollars } from '../../../runner/rds/prices/margin.ts';
import { deployable } from '../../../runner/rds/deploy/deployable.ts';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { describeStackTimes } from '../../../runner/rds/place/describe-stack.ts';
import { firstAvailableAt } from '../../../runner/rds/place/first-available.ts';
import { Gate } from '../../faults/deployed/gate.ts';
import { documentedBills, type RehearsedBill, tableOfBills } from '../../helpers/rehearsed-bills.ts';
import { AccountClock } from '../account/account-clock.ts';
import { type Account, emulatorPort, logs, project } from '../account/account.ts';
import { openBootstrappedAccount } from '../account/bootstrapped-account.ts';
import { type Deployment, deploy } from '../account/deployment.ts';
import { objectText } from '../account/results-in-bucket.ts';
import { type Gates, type UnhappyEnd, unhappyEnds } from '../account/unhappy-ends.ts';

/**
 * What a stack has cost when it is gone, or a person has been told, whatever became of its driver and databases. All stacks
 * are in one account, whose time is moved for all of them: five minutes from look to look, until none is left.
 */
const experiment = 'test/rehearsal/experiments/endings.yaml';
const minuteMs = 60_000;
/** A schedule is not exact. A look that is late would cost more than the margin counts with. */
const lookMs = lookMinutes * minuteMs - 10_000;
const deploysAtOnce = 3;

/** What became of one stack. */
interface Course {
  end: UnhappyEnd;
  deployment: Deployment;
  createdAt: Date;
  databasesAt: Date;
  /** When a person was told: by the deploy, or by a message. */
  reported: { at: Date; isFailedDeletion: boolean }[];
  /** null while anything of it may be billed. */
  goneAt: Date | null;
}

const loaded = loadExperiment(experiment, { folder: project, profile: 'bill' }).experiment;
const price = stackPrice(deployable(loaded, 'bill'), 'us-east-1') ?? { whole: NaN, withoutDatabases: NaN };
const most = maxDollars(loaded.limits.dollars ?? NaN, price.whole);

let account: Account;
let gates: Gates;
let clock: AccountClock;
let inventory: string[];
let ends: UnhappyEnd[];
const courses: Course[] = [];
const bills: RehearsedBill[] = [];

beforeAll(async () => {
  account = await openBootstrappedAccount();
  clock = new AccountClock(account);
  inventory = await account.control<string[]>('inventory');
  const gate = (): Promise<Gate> => Gate.before(emulatorPort);
  gates = { saving: await gate(), withoutS3: await gate(), withoutNetwork: await gate() };
  ends = unhappyEnds(account, gates);
});
afterAll(async () => {
  for (const gate of Object.values(gates)) gate.close();
  for (const { deployment } of courses) {
    await deployment.servers.stop();
    await deployment.machine.remove();
  }
  await account.close();
});

it('every run comes to its unhappy end', { timeout: 1_800_000 }, async () => {
  const queue = [...ends];
  const deployFrom = async (): Promise<void> => {
    for (let end = queue.shift(); end; end = queue.shift()) courses.push(await strike(end));
  };
  const outcomes = await Promise.allSettled(Array.from({ length: deploysAtOnce }, deployFrom));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
  courses.sort((one, other) => ends.indexOf(one.end) - ends.indexOf(other.end));
});

it(
  'each stack is gone, or a person is told, before its limit and the margin are spent',
  { timeout: 1_800_000 },
  async () => {
    let lookAt = clock.now();
    const lastAt = new Date(lookAt.getTime() + 6 * 60 * minuteMs);
    while (courses.some(isOpen)) {
      expect(lookAt.getTime(), 'six hours').toBeLessThan(lastAt.getTime());
      lookAt = new Date(lookAt.getTime() + lookMs);
      await passTo(lookAt);
      await look();
      process.stdout.write(
        `${lookAt.toISOString()}: ${courses
          .filter(isOpen)
          .map(({ end }) => end.owner)
          .join(', ')}\n`,
      );
    }
    for (const course of courses) bills.push(await billOf(course));
    writeFileSync(path.join(logs, 'bills.md'), `${tableOfBills(bills, Number(most.toFixed(2))).join('\n')}\n`);
    for (const { what, dollars } of bills) expect(dollars, what).toBeLessThanOrEqual(most);
  },
);

it('nothing that is billed is left', async () => {
  const left = (await account.control<string[]>('inventory')).filter((line) => !inventory.includes(line));
  expect(left.filter((line) => !/^(s3 object|cloudformation stack) /.test(line))).toEqual([]);
});

it('the documentation shows these bills', () => {
  const documented = documentedBills();
  expect(documented.bills.map(({ what, end }) => [what, end])).toEqual(bills.map(({ what, end }) => [what, end]));
  // From one time to the next, the looks come at other moments.
  const perLook = (lookMinutes / 60) * price.whole;
  for (const [index, { what, ...reported }] of documented.bills.entries()) {
    const { noticeMinutes = NaN, goneMinutes = NaN, dollars = NaN } = bills[index] ?? {};
    expect(Math.abs(reported.noticeMinutes - noticeMinutes), what).toBeLessThanOrEqual(lookMinutes + 1);
    expect(reported.goneMinutes === null, what).toBe(goneMinutes === null);
    expect(Math.abs((reported.goneMinutes ?? 0) - (goneMinutes ?? 0)), what).toBeLessThanOrEqual(lookMinutes + 1);
    expect(Math.abs(reported.dollars - dollars), what).toBeLessThanOrEqual(perLook);
  }
});

async function strike(end: UnhappyEnd): Promise<Course> {
  await end.prepare?.();
  const profile = ['bill', ...(end.profile === undefined ? [] : [end.profile])].join(',');
  const options = { experiment, profile, owner: end.owner, synthesizedOnce: true, ...end.options };
  const deployment = await deploy(account, options);
  await end.strike(deployment);
  // Without a driver, nobody needs them.
  if (!deployment.machine.isOn()) await deployment.servers.stop();
  const { createdAt } = await describeStackTimes(account.cloudFormation, deployment.binding);
  const databasesAt = (await firstAvailableAt(account.rds, deployment.binding)) ?? new Date(NaN);
  return { end, deployment, createdAt, databasesAt, reported: [], goneAt: null };
}

function isOpen({ goneAt }: Course): boolean {
  return goneAt === null;
}

async function stateOf({ deployment }: Course): Promise<string> {
  const StackName = deployment.binding.stackId;
  const { Stacks: [stack] = [] } = await account.cloudFormation.send(new DescribeStacksCommand({ StackName }));
  return stack?.StackStatus ?? '';
}

/** Lets time pass. While deploys wait, it does so minute by minute, to see when they give up. */
async function passTo(moment: Date): Promise<void> {
  while (clock.now() < moment) {
    const deploying = courses.filter((course) => isOpen(course) && course.end.failsDeploy);
    const next = deploying.length > 0 ? clock.now().getTime() + minuteMs : Infinity;
    await clock.passUntil(new Date(Math.min(moment.getTime(), next)));
    for (const course of deploying) await seeDeploy(course);
  }
}

async function seeDeploy(course: Course): Promise<void> {
  const { end, deployment, databasesAt } = course;
  const isLater = end.later !== undefined && minutesSince(databasesAt, clock.now()) >= end.later.minutes;
  if (isLater) await end.later?.strike(deployment);
  // The emulator looks at its conditions, and the driver at its databases.
  else await sleep(200);
  const givesUp = async (): Promise<boolean> => (await stateOf(course)) !== 'CREATE_IN_PROGRESS';
  if (isLater) await expect.poll(givesUp, { timeout: 120_000, interval: 200 }).toBe(true);
  else if (!(await givesUp())) return;
  const at = clock.now();
  course.reported.push({ at, isFailedDeletion: false });
  const { exitCode, stdout, stderr } = await deployment.deployed;
  expect(exitCode).toBe(1);
  expect(`${stdout}${stderr}`).toContain(end.shows);
  expect(await stateOf(course)).toBe('ROLLBACK_COMPLETE');
  course.goneAt = afterDeletion(at);
}

/** Looks at every stack, as their schedules do. */
async function look(): Promise<void> {
  for (const course of courses.filter(({ end, goneAt }) => end.isAlive === true && goneAt === null)) {
    await expect.poll(() => silentMinutes(course), { timeout: 60_000, interval: 500 }).toBeLessThan(silenceMinutes / 2);
  }
  const earlier = account.requests().length;
  const at = clock.now();
  const fired = await account.control<{ status: string }[]>('fire-schedules', {});
  expect(fired.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
  const messages = account
    .requests()
    .slice(earlier)
    .filter(({ action, allowed }) => action === 'sns:Publish' && allowed);
  for (const course of courses.filter(isOpen)) {
    const { end, deployment, reported } = course;
    if (messages.some(({ resource }) => resource.includes(`:${deployment.binding.stackName}-`))) {
      reported.push({ at, isFailedDeletion: (await recordOf(course, 'failed')) !== null });
    }
    await expect.poll(() => stateOf(course), { timeout: 300_000, interval: 200 }).not.toBe('DELETE_IN_PROGRESS');
    if ((await stateOf(course)) === 'DELETE_COMPLETE') course.goneAt = afterDeletion(at);
    else if (reported.filter(({ isFailedDeletion }) => isFailedDeletion).length > 1) await end.release?.(deployment);
  }
}

function afterDeletion(at: Date): Date {
  return new Date(at.getTime() + deletionMinutes * minuteMs);
}

function minutesSince(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / minuteMs;
}

async function recordOf({ deployment }: Course, state: DeletionState): Promise<string | null> {
  return objectText(account, deployment.binding, deletionName(state)).catch(() => null);
}

/** The run writes its status by the clock, so a rehearsed hour without a sign of life may be some seconds. */
async function silentMinutes({ deployment: { binding } }: Course): Promise<number> {
  const { bucket: Bucket, prefix } = binding.results;
  const { LastModified } = await account.s3.send(new HeadObjectCommand({ Bucket, Key: `${prefix}${statusName}` }));
  return LastModified ? minutesSince(LastModified, new Date()) : Infinity;
}

async function billOf(course: Course): Promise<RehearsedBill> {
  const { end, createdAt, databasesAt, reported, goneAt } = course;
  const { what, shows, release } = end;
  const dollarsAt = (at: Date): number => spentDollars(billedSince({ createdAt, databasesAt }, price), price, at);
  const record = await recordOf(course, 'begun');
  if (record !== null) expect(JSON.parse(record), what).toMatchObject({ why: shows });
  // Nobody needs to be told of a deletion that succeeds.
  const [first] = release ? reported.filter(({ isFailedDeletion }) => isFailedDeletion) : reported;
  const noticedAt = first?.at ?? new Date(NaN);
  for (const [index, { at }] of reported.entries()) {
    if (release) expect(minutesSince(reported[index - 1]?.at ?? at, at), what).toBeLessThanOrEqual(60 + lookMinutes);
  }
  const ownGoneAt = release ? null : goneAt;
  if (record !== null && ownGoneAt) {
    const { dollars } = JSON.parse(record) as { dollars: number };
    // As the state machine computed it.
    const deletionAt = new Date(ownGoneAt.getTime() - deletionMinutes * minuteMs);
    expect(Math.abs(dollars / dollarsAt(deletionAt) - 1), what).toBeLessThan(0.02);
  }
  return {
    what,
    end: end.end,
    noticeMinutes: minutesSince(databasesAt, noticedAt),
    goneMinutes: ownGoneAt && minutesSince(databasesAt, ownGoneAt),
    dollars: dollarsAt(ownGoneAt ?? noticedAt),
  };
}
