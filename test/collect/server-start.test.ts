import type { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import type { CollectedTrial, UseDatabase } from '../../runner/collect/collector.ts';
import { serverStart } from '../../runner/collect/postgres/settings.ts';
import { measuredSince } from '../helpers/samples/measured-part.ts';

/** A server that gives these answers, one after another. */
function answering(...answers: Record<string, string>[]): UseDatabase {
  const client = { query: () => Promise.resolve({ rows: [answers.shift()] }) };
  return (use) => use(client as unknown as Client);
}

async function restartedBetween(before: string, after: string): Promise<boolean | undefined> {
  const trial = { database: answering({ started: before }, { started: after }) } as CollectedTrial;
  const collection = await serverStart.start?.(trial);
  return (await collection?.stop?.(measuredSince(new Date())))?.facts?.restarted;
}

describe('the start of the server', () => {
  test('whether it was another one at the end is said either way', async () => {
    expect(await restartedBetween('monday', 'monday')).toBe(false);
    expect(await restartedBetween('monday', 'tuesday')).toBe(true);
  });
});
