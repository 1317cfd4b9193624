import { describe, expect, it } from 'vitest';
import { snapshotName, snapshotNamePrefix } from '../../../runner/rds/contract/binding.ts';
import { keepSnapshot } from '../../../runner/rds/place/keep-snapshot.ts';
import { type FakeAnswer, xmlAnswer, xmlError } from '../../helpers/fakes/fake-aws.ts';
import { boundInstance, fakeClock, fakeRds, rdsInstance } from '../../helpers/fakes/fake-rds.ts';

const name = 'pgduet-dlv-alice-20261121-120000';
const arn = `arn:aws:rds:us-east-1:123456789012:snapshot:${name}`;
const missing = xmlError('DBSnapshotNotFound', `DBSnapshot ${name} not found.`, 404);
const sight = (Status: string, PercentProgress = 0): FakeAnswer =>
  xmlAnswer('DescribeDBSnapshots', {
    DBSnapshots: [{ DBSnapshotIdentifier: name, DBSnapshotArn: arn, Status, PercentProgress }],
  });

/** Keeps a snapshot in an RDS that shows it as given, one look after another. */
async function keepIn(sights: FakeAnswer[], { limitSeconds = 3600, kind = 'instance' as const } = {}) {
  let look = 0;
  const { client, aws } = fakeRds(({ action }) => {
    if (action === 'DescribeDBSnapshots') return sights[Math.min(look++, sights.length - 1)] ?? missing;
    if (action === 'DescribeDBInstances') return xmlAnswer(action, { DBInstances: [rdsInstance()] });
    return xmlAnswer(action, {});
  });
  const progress: number[] = [];
  const kept = keepSnapshot(
    'with-dlv',
    { ...boundInstance(), kind },
    { name, tags: { experiment: 'dlv', owner: 'alice' }, region: 'us-east-1' },
    {
      ...fakeClock(),
      rds: client,
      signal: new AbortController().signal,
      limitSeconds,
      say: () => undefined,
      onProgress: (done) => progress.push(done),
    },
  );
  const outcome = await kept.catch((error: unknown) => error);
  const calls = aws.requests.map(({ action }) => action);
  return { outcome, calls, progress, requests: aws.requests };
}

describe('a snapshot of the loaded data', () => {
  it('is made and tagged once, waited for with its database, and named with the command that deletes it', async () => {
    const { outcome, calls, progress, requests } = await keepIn([
      missing,
      sight('creating', 40),
      sight('available', 100),
    ]);
    expect(outcome).toEqual({
      name,
      arn,
      source: 'alice-dlv-with-dlv',
      deleteCommand: `aws rds delete-db-snapshot --db-snapshot-identifier ${name} --region us-east-1`,
    });
    expect(calls).toEqual([
      ...['DescribeDBSnapshots', 'CreateDBSnapshot', 'DescribeDBSnapshots', 'DescribeDBSnapshots'],
      'DescribeDBInstances',
    ]);
    expect(progress).toEqual([0.4]);
    const create = requests.find(({ action }) => action === 'CreateDBSnapshot');
    expect(JSON.stringify(create?.input)).toContain('alice');
  });

  it('that an earlier start has begun is not made twice', async () => {
    const { calls } = await keepIn([sight('creating', 10), sight('available', 100)]);
    expect(calls).not.toContain('CreateDBSnapshot');
  });

  it.each([
    [
      'failed',
      [sight('failed')],
      `alice-dlv-with-dlv: the status of the snapshot ${name} is failed. Look at its events in RDS.`,
    ],
    ['late', [sight('creating')], `alice-dlv-with-dlv: the snapshot ${name} was not complete after 5 minutes.`],
  ])('that is %s ends the run, saying so', async (_, sights, message) => {
    expect((await keepIn(sights, { limitSeconds: 300 })).outcome).toHaveProperty('message', message);
  });
});

describe('the name of a snapshot', () => {
  const at = new Date('2026-11-21T06:44:59.123Z');

  it('tells experiment, owner and time', () => {
    expect(snapshotName('dlv-pgbench', 'alice', at)).toBe('pgduet-dlv-pgbench-alice-20261121-064459');
  });

  it('is never longer than RDS allows, and begins as the driver is allowed to name it', () => {
    const [experiment, owner] = ['a-very-long-name-of-an-experiment-indeed', 'twelveletter'];
    const made = snapshotName(experiment, owner, at);
    expect(made.length).toBeLessThanOrEqual(63);
    expect(made).toMatch(/^[a-z](-?[a-z0-9])+$/);
    expect(made.startsWith(snapshotNamePrefix(experiment, owner))).toBe(true);
  });
});
