import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { smallExperiment } from '../helpers/samples/experiment-file.ts';
import { saveSample } from '../helpers/samples/saved-sample.ts';
import { sealAgain } from '../helpers/samples/sealed-sample.ts';

const script = 'SELECT 1;\n';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
let root: string;
let run: string;
beforeEach(async () => {
  root = temporaryFolder();
  run = path.join(root, 'run');
  await saveSample(run, { blocks: 2 });
  mkdirSync(path.join(run, 'inputs/files'), { recursive: true });
  writeFileSync(path.join(run, 'inputs/files/look.sql'), script);
  define('look.sql');
  record('inputs/files/small.yaml', { 'look.sql': sha256(script) });
});

function define(scriptFile: string): void {
  const workload = { tool: 'pgbench', scale: 1, clients: 1, durationSeconds: 1, scripts: [{ file: scriptFile }] };
  writeFileSync(path.join(run, 'inputs/files/small.yaml'), stringify({ ...smallExperiment(), workload }));
}

interface Written {
  experiment: object;
  tool: object;
  variants: object[];
}

/** What run.json says of the files, and more. */
function record(
  file: string,
  files: Record<string, string>,
  change: (written: Written) => void = () => undefined,
): void {
  const name = path.join(run, 'run.json');
  const written = JSON.parse(readFileSync(name, 'utf8')) as Written;
  Object.assign(written.experiment, { file, profile: 'full', seed: 4711 });
  written.tool = { name: 'pgbench', version: '16', files };
  change(written);
  writeFileSync(name, JSON.stringify(written));
  sealAgain(run);
}

const load = (options: { seed?: number } = {}) => loadExperiment('./run', { folder: root, ...options });

// Who sends a run may have changed what is in it.
describe('a run that is repeated from its folder', () => {
  it('has its profile and its seed, unless others are given', () => {
    expect(load().experiment.protocol.seed).toBe(4711);
    expect(load().profile).toBe('full');
    expect(load({ seed: 5 }).experiment.protocol.seed).toBe(5);
  });

  it('has the commits that it built, and finds their repositories from where its experiment file was', () => {
    const source = { git: '../postgres' };
    const experiment = { ...smallExperiment(), common: { storage: { type: 'local' }, engine: { source } } };
    writeFileSync(path.join(run, 'inputs/files/small.yaml'), stringify(experiment));
    const commit = 'a'.repeat(40);
    record('inputs/files/small.yaml', {}, (written) => {
      Object.assign(written.experiment, { codeFolder: '../experiments' });
      const server = { from: '../postgres', commit, configure: [], compiler: 'gcc' };
      written.variants = ['a', 'b'].map((name) => ({ ...written.variants[0], name, built: { server } }));
    });
    const { experiment: loaded, repeated } = load();
    expect(loaded.variants['b']?.engine.source).toEqual({ ...source, commit, configure: [] });
    expect(repeated?.codeFolder).toBe(path.join(root, 'experiments'));
  });

  it('is refused where its experiment file was edited after the run', () => {
    appendFileSync(path.join(run, 'inputs/files/small.yaml'), '# edited\n');
    expect(load).toThrow(`${path.join(run, 'inputs/files/small.yaml')} was changed: this contradicts SHA256SUMS`);
  });

  it('is refused where a file of it is another one by now', () => {
    writeFileSync(path.join(run, 'inputs/files/look.sql'), 'SELECT 2;\n');
    expect(load).toThrow(
      /names the file look\.sql, which is not the file that the run used: its SHA-256 differs from the one in run\.json/,
    );
  });

  it('reads a file elsewhere only if it is what was run, as a large one that is linked to', () => {
    const dump = path.join(root, 'large.sql');
    writeFileSync(dump, script);
    symlinkSync(dump, path.join(run, 'inputs/files/linked.sql'));
    define('linked.sql');
    record('inputs/files/small.yaml', { 'linked.sql': sha256(script) });
    expect(load).not.toThrow();
    writeFileSync(dump, 'secret\n');
    expect(load).toThrow('linked.sql, which is not the file that the run used');
  });

  it.each(['../../../secret.sql', '../../../../../../etc/hostname'])('names no file outside of it: %s', (file) => {
    writeFileSync(path.join(root, 'secret.sql'), 'secret\n');
    define(file);
    record('inputs/files/small.yaml', { [file]: sha256('secret\n') });
    expect(load).toThrow(`names the file ${file}, which is outside the folder of the run`);
  });

  it('does not lead to another experiment file, neither by its path nor by a link', () => {
    writeFileSync(path.join(root, 'small.yaml'), stringify(smallExperiment()));
    record('../small.yaml', {});
    expect(load).toThrow('./run does not contain the experiment file of its run');
    symlinkSync(path.join(root, 'small.yaml'), path.join(run, 'inputs/files/link.yaml'));
    record('inputs/files/link.yaml', {});
    expect(load).toThrow('./run does not contain the experiment file of its run');
  });
});
