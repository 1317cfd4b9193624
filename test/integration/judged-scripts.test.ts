import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { atOnce } from '../../runner/files/in-parts.ts';
import { findInstallations } from '../../runner/places/local/installations.ts';
import { runCommand } from '../../runner/process/run-command.ts';
import { toolOf } from '../../runner/workloads/registry.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { smallScripts } from '../helpers/samples/small-scripts.ts';

/** What scripts are made of, in any order. */
const pieces = [
  ...[
    '\\set a ',
    '\\if ',
    '\\elif 1',
    '\\else',
    '\\endif',
    '\\sleep ',
    '\\gset',
    '\\aset p',
    '\\startpipeline',
    '\\foo',
  ],
  ...['\n', '\n', '\r\n', '\\\n', '\\;', '\\', ' ', '\u00A0', ';', ';\n', '--', '/*', '*/', "'", '"', '$$', ':a', 'é'],
  ...[
    'SELECT 1',
    '1',
    '1.5',
    ' ms',
    '(',
    ')',
    ',',
    '+',
    ' case',
    ' when',
    ' then',
    ' end',
    ' is null',
    'random(',
    'pi()',
  ],
];
const script = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));

const { signal } = new AbortController();
/** As many as pgbench takes at once. */
const maxScripts = 128;

/** Those of these scripts in which `plan` finds something wrong with this pgbench. */
async function refusedAmong(files: readonly string[], programs: string, scriptFolder: string): Promise<string[]> {
  const tool = toolOf({ tool: 'pgbench' });
  const scripts = files.map((file) => ({ file }));
  const workload = tool.schema.parse({ tool: 'pgbench', scale: 1, clients: 1, durationSeconds: 1, scripts });
  const reading = tool.readFiles?.(workload, scriptFolder);
  const named = (reading ? atOnce(reading).problems : []).flatMap(({ named }) => named ?? []);
  const refusal = await tool
    .validateScripts?.(programs, { workload, scriptFolder, signal })
    .then(() => '')
    .catch((error: unknown) => {
      if (error instanceof UserError) return error.message;
      throw error;
    });
  return files.filter((file) => named.includes(file) || refusal?.includes(file));
}

test('of small scripts, exactly those are refused that the installed pgbench refuses', async () => {
  const { installations } = await findInstallations({ environment: process.env, signal }, ['pgbench']);
  const folders = installations.flatMap((one) => (one.programs.includes('pgbench') ? [one.folder] : []));
  expect(folders).not.toEqual([]);
  expect(smallScripts.length).toBeGreaterThanOrEqual(82);
  const scripts = temporaryFolder();
  const texts = new Map(
    [...smallScripts, ...fc.sample(script, { numRuns: 40, seed: 56 })].map((text, index) => [
      `s${String(index).padStart(3, '0')}.sql`,
      text,
    ]),
  );
  for (const [name, text] of texts) writeFileSync(path.join(scripts, name), text);
  for (const folder of folders) {
    const refusedBy = { pgbench: new Array<string>(), pgduet: new Array<string>() };
    for (const name of texts.keys()) {
      // There is no server: pgbench reads its scripts before it connects.
      const { stderr } = await runCommand([path.join(folder, 'pgbench'), '-n', '-f', name, 'host=/dev/null'], {
        cwd: scripts,
        environment: { PATH: process.env['PATH'], LC_ALL: 'C' },
        signal: AbortSignal.timeout(30_000),
      });
      if (!stderr.startsWith('pgbench: error: connection to server')) refusedBy.pgbench.push(name);
    }
    const names = [...texts.keys()];
    while (names.length > 0) {
      refusedBy.pgduet.push(...(await refusedAmong(names.splice(0, maxScripts), folder, scripts)));
    }
    const textsOf = (files: readonly string[]) => files.map((name) => texts.get(name));
    expect(textsOf(refusedBy.pgduet)).toEqual(textsOf(refusedBy.pgbench));
    expect(refusedBy.pgbench.length).toBeGreaterThan(50);
    expect(refusedBy.pgbench.length).toBeLessThan(texts.size - 50);
  }
});
