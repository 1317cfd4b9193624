import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it, vi } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import type { makeStack as MakeStack } from '../../bin/make-stack.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { project } from '../helpers/synthesize.ts';

let makeStack: typeof MakeStack;
beforeAll(async () => {
  // It tightens the umask of its process.
  const before = process.umask(0o022);
  ({ makeStack } = await import('../../bin/make-stack.ts'));
  process.umask(before);
});

/** Makes the stack of these words after -c, without a Region. */
async function refusalOf(context: Record<string, string>): Promise<string> {
  vi.stubEnv('AWS_REGION', undefined);
  try {
    const error: unknown = await makeStack({ context, outdir: temporaryFolder() }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UserError);
    return (error as UserError).message;
  } finally {
    vi.unstubAllEnvs();
  }
}

const dlv = { experiment: 'dlv-pgbench', owner: 'alice' };

it.each<[string, Record<string, string>, string]>([
  [
    'an unknown experiment',
    { experiment: 'dlv-pgbenhc' },
    'Experiment "dlv-pgbenhc" not found. Did you mean dlv-pgbench?',
  ],
  ['an experiment for this machine', { experiment: 'quick' }, 'Run it with: npx --no-install pgduet load-run quick.'],
  ['a bad owner', { ...dlv, owner: 'Bad_Owner' }, 'Owner "Bad_Owner" cannot be part'],
  ['a key by its alias', { ...dlv, assetKey: 'alias/assets' }, '-c assetKey=alias/assets is not the ARN of a KMS key'],
  [
    'a zone of another Region',
    { ...dlv, zone: 'eu-west-1a' },
    '-c zone=eu-west-1a is not an Availability Zone of us-east-1, such as us-east-1b. Name one of this Region',
  ],
  ['no stack', {}, '-c stack=results once'],
])('%s is refused', async (_, words, message) => {
  expect(await refusalOf(words)).toContain(message);
});

it.each<[string, [from: string, to: string], string]>([
  ['its hours', ['blocks: 6', 'blocks: 20'], 'limits.hours is 16: the run is expected to take'],
  ['its dollars', ['dollars: 200', 'dollars: 50'], 'limits.dollars is 50: the run is expected to cost'],
  [
    'the life of its stack',
    ['dollars: 200', 'dollars: 200\n\nexpiry: { kind: after, hours: 2 }'],
    'expiry.hours is 2, and the last 15 minutes are reserved for saving',
  ],
])('an experiment that would exceed %s is refused with the figures', async (_, [from, to], message) => {
  const file = path.join(temporaryFolder(), 'dlv-pgbench.yaml');
  const text = readFileSync(path.join(project, 'experiments/dlv-pgbench.yaml'), 'utf8');
  writeFileSync(file, text.replace(from, to));
  const refusal = await refusalOf({ experiment: file, owner: 'alice' });
  expect(refusal).toContain(`Rejected: ${message}`);
  expect(refusal).toMatch(/expected to (take|cost)( at least)? \d+\.\d+/);
});
