import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { compiled } from '../../lib/build-options.ts';
import { sharedOwnerWarning } from '../../runner/rds/deploy/owner.ts';

const project = path.resolve(import.meta.dirname, '../..');

/** What is deployed is the driver’s program, too: it is bundled from sources, or comes with a package. */
const fromSources = 'bin/app.mjs';

/** Runs the CDK app as `npx cdk` does with these words after -c, without a Region, credentials or a home folder. */
function synth(
  words: Record<string, string>,
  program = path.join(compiled, 'app.mjs'),
): Promise<{ exitCode: number | null; stderr: string; files: string[]; templates: string; warnings: string }> {
  const output = mkdtempSync(path.join(tmpdir(), 'app-'));
  const child = spawn(process.execPath, [program], {
    cwd: project,
    env: { PATH: process.env['PATH'], CDK_OUTDIR: output, CDK_CONTEXT_JSON: JSON.stringify(words) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => {
    child.once('close', (exitCode) => {
      const files = readdirSync(output).filter((file) => file.endsWith('.template.json'));
      const templates = files.map((file) => readFileSync(path.join(output, file), 'utf8')).join();
      const warnings = readdirSync(output)
        .filter((file) => file.endsWith('.metadata.json'))
        .map((file) => readFileSync(path.join(output, file), 'utf8'))
        .join();
      rmSync(output, { recursive: true });
      resolve({ exitCode, stderr, files, templates, warnings });
    });
  });
}

test.for<[string, Record<string, string>, string]>([
  ['an unknown experiment', { experiment: 'dlv-pgbenhc' }, 'No experiment "dlv-pgbenhc". Did you mean dlv-pgbench?'],
  ['an experiment for this machine', { experiment: 'quick' }, 'Run it with: npx --no-install pgduet load-run quick.'],
  ['a bad owner', { experiment: 'dlv-pgbench', owner: 'Bad_Owner' }, 'Owner "Bad_Owner" cannot be part'],
  [
    'a key by its alias',
    { experiment: 'dlv-pgbench', owner: 'alice', assetKey: 'alias/assets' },
    '-c assetKey=alias/assets is not the ARN of a KMS key',
  ],
  [
    'a zone of another Region',
    { experiment: 'dlv-pgbench', owner: 'alice', zone: 'eu-west-1a' },
    '-c zone=eu-west-1a is not an Availability Zone of us-east-1, such as us-east-1b. Name one of this Region',
  ],
  [
    'a misspelt word, which would leave out a profile',
    { experiment: 'dlv-pgbench', owner: 'alice', profil: 'smoke', stage: 'of ~/.cdk.json' },
    '-c profil: there is no such word. Did you mean -c profile?',
  ],
  ['no stack', {}, '-c stack=results once'],
])('%s ends with a message of its own and no stack trace', async ([, words, message]) => {
  const { exitCode, stderr, files } = await synth(words);
  expect(stderr).toContain(message);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect({ exitCode, files }).toEqual({ exitCode: 2, files: [] });
});

test.for<[string, [from: string, to: string], string]>([
  ['its hours', ['blocks: 6', 'blocks: 20'], 'limits.hours is 16: the run is expected to take'],
  ['its dollars', ['dollars: 200', 'dollars: 50'], 'limits.dollars is 50: the run is expected to cost'],
  [
    'the life of its stack',
    ['dollars: 200', 'dollars: 200\n\nexpiry: { kind: after, hours: 2 }'],
    'expiry.hours is 2, and the last 15 minutes are reserved for saving',
  ],
])('an experiment that would exceed %s is refused with the figures', async ([, [from, to], message]) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'beyond-'));
  const file = path.join(folder, 'dlv-pgbench.yaml');
  const text = readFileSync(path.join(project, 'experiments/dlv-pgbench.yaml'), 'utf8');
  writeFileSync(file, text.replace(from, to));
  const { exitCode, stderr, files } = await synth({ experiment: file, owner: 'alice' });
  rmSync(folder, { recursive: true });
  expect(stderr).toContain(`Refused: ${message}`);
  expect(stderr).toMatch(/expected to (take|cost)( at least)? \d+\.\d+/);
  expect({ exitCode, files }).toEqual({ exitCode: 2, files: [] });
});

describe('from its sources', () => {
  const words = { experiment: 'dlv-pgbench', profile: 'smoke' };
  const isShared = sharedOwnerWarning(userInfo().username) !== null;
  type Synthesized = Awaited<ReturnType<typeof synth>>;
  let synthesized: Synthesized;
  let drawn: Synthesized | null;
  beforeAll(async () => {
    // Both at once: neither may take what the other has bundled.
    [synthesized, drawn] = await Promise.all([
      synth({ ...words, owner: 'alice', zone: 'us-east-1c' }, fromSources),
      isShared ? synth(words, fromSources) : null,
    ]);
  });

  test('one stack comes of one invocation, named after experiment and owner, in the zone that was named', () => {
    const { exitCode, files, templates } = synthesized;
    expect({ exitCode, files }).toEqual({ exitCode: 0, files: ['pgduet-dlv-pgbench-alice.template.json'] });
    expect(templates).toContain('"AvailabilityZone": "us-east-1c"');
  });

  test.runIf(isShared)('an owner that several people may have is named in a warning, unless it was given', () => {
    expect(drawn?.exitCode).toBe(0);
    expect(drawn?.warnings).toContain('which others may have as well');
    expect(synthesized.warnings).not.toContain('which others may have as well');
  });
});
