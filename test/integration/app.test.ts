import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
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

test('a misspelt word, which would leave out a profile, ends with a message of its own and no stack trace', async () => {
  const words = { experiment: 'dlv-pgbench', owner: 'alice', profil: 'smoke', stage: 'of ~/.cdk.json' };
  const { exitCode, stderr, files } = await synth(words);
  expect(stderr).toContain('-c profil: unknown context key. Did you mean -c profile?');
  expect(stderr).not.toMatch(/^\s+at /m);
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
    expect(drawn?.warnings).toContain('with the same login could replace or destroy your stack');
    expect(synthesized.warnings).not.toContain('with the same login could replace or destroy your stack');
  });
});
