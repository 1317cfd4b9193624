import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { project } from '../../lib/build-options.ts';
import { compile } from '../../scripts/build/compile.ts';

interface Packed {
  size: number;
  files: { path: string }[];
}

/** What `npm pack` would put into the package of a folder now. */
function pack(cwd: string): Packed {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(output) as Packed[];
  if (!packed) throw new Error('npm pack names no package');
  return packed;
}

/** The project with only what a build makes in its dist/: that of the checkout also has what tests and tools left. */
async function freshlyBuilt(folder: string): Promise<Metafile> {
  const copied = ['bin', 'lib', 'docs', 'experiments', 'prices'];
  const single = ['package.json', 'cdk.json', 'CHANGELOG.md', 'LICENSE', 'README.md', 'tsconfig.json'];
  for (const name of [...copied, ...single])
    cpSync(path.join(project, name), path.join(folder, name), { recursive: true });
  for (const name of ['runner', 'node_modules']) symlinkSync(path.join(project, name), path.join(folder, name));
  return compile(folder);
}

describe('the package', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pgduet-package-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const metafile = await freshlyBuilt(folder);
  writeFileSync(path.join(folder, 'experiments/mine.yaml'), 'name: mine');
  const { size, files } = pack(folder);
  const names = files.map((file) => file.path);
  const {
    exports: exported,
    dependencies,
    devDependencies,
    peerDependencies,
    peerDependenciesMeta,
  } = JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8')) as Record<
    'exports' | 'peerDependenciesMeta',
    Record<string, unknown>
  > &
    Record<'dependencies' | 'devDependencies' | 'peerDependencies', Record<string, string>>;

  it('holds what runs and its documentation, and no sources, tests or results', () => {
    const folders = new Set(
      names.map((name) =>
        name
          .split('/')
          .slice(0, -1)
          .join('/')
          .replace(/^(dist\/compiled)\/.*/, '$1'),
      ),
    );
    expect([...folders].sort()).toEqual([
      '',
      'bin',
      'dist/compiled',
      'docs',
      'docs/reference',
      'experiments',
      'experiments/own-data',
      'lib/driver',
      'prices',
    ]);
    expect(names.filter((name) => /(?<!\.d)\.ts$|(^|\/)test\//.test(name))).toEqual([]);
    expect(names.filter((name) => /^(bin|lib)\//.test(name)).sort()).toEqual([
      'bin/app.mjs',
      'bin/pgduet.mjs',
      'bin/start.mjs',
      'lib/driver/user-data.sh',
    ]);
  });

  it('holds the experiments that pgduet ships, and none that somebody wrote beside them', () => {
    const shipped = execFileSync('git', ['ls-files', 'experiments'], { cwd: project, encoding: 'utf8' })
      .trim()
      .split('\n');
    expect(names.filter((name) => name.startsWith('experiments/')).sort()).toEqual(shipped.sort());
  });

  it('says how it is made where it was made without its programs', () => {
    const bare = path.join(folder, 'bare');
    cpSync(path.join(project, 'bin'), path.join(bare, 'bin'), {
      recursive: true,
      filter: (name) => !name.endsWith('.ts'),
    });
    const { status, stderr } = spawnSync(process.execPath, ['bin/pgduet.mjs', 'list'], { cwd: bare, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('npm run build && npm pack') as string,
    });
  });

  it('holds the changelog, the licence, and the flags of the CDK', () => {
    expect(names.filter((name) => !name.includes('/')).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'cdk.json',
      'package.json',
    ]);
  });

  it('has less than 10 MB', () => {
    expect(size).toBeLessThan(10e6);
  });

  it('leaves the CDK to those who deploy, in versions not older than those that our own tests use', () => {
    const names = ['aws-cdk', 'aws-cdk-lib', 'constructs'];
    expect(peerDependencies).toEqual(Object.fromEntries(names.map((name) => [name, `^${devDependencies[name]}`])));
    expect(peerDependenciesMeta).toEqual(Object.fromEntries(names.map((name) => [name, { optional: true }])));
  });

  it('brings only packages that read files beside themselves, and those that its types name', () => {
    expect(Object.keys(dependencies)).toEqual(['@pnpm/tabtab', 'libpg-query', 'open', 'zod']);
  });

  it('begins without the clients of AWS, which few commands need', () => {
    const loaded = new Set(['dist/compiled/pgduet.mjs']);
    for (const name of loaded) {
      for (const { kind, path: next } of metafile.outputs[name]?.imports ?? []) {
        if (kind === 'import-statement') loaded.add(next);
      }
    }
    const inputs = [...loaded].flatMap((name) => Object.keys(metafile.outputs[name]?.inputs ?? {}));
    expect(inputs.length).toBeGreaterThan(20);
    expect(inputs.filter((name) => /node_modules\/(@aws-sdk|@smithy)\//.test(name))).toEqual([]);
  });

  it('loads no other packages at run time', () => {
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
    const loaded = imports.filter(({ external, path: name }) => external && !isBuiltin(name) && !name.startsWith('.'));
    const packages = loaded.map(({ path: name }) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0]);
    // pg asks for pg-native, and does without it.
    expect([...new Set(packages)].sort()).toEqual([
      ...['@pnpm/tabtab', 'aws-cdk-lib', 'constructs', 'libpg-query', 'open', 'pg-native'],
    ]);
  });

  // They are there when `npm run build` has run, as before a package is made.
  it.runIf(existsSync(path.join(project, 'dist/compiled/types')))(
    'holds every file that it exports, and the driver’s program',
    () => {
      const promised = JSON.stringify(exported).match(/(?<="\.\/)[^"]+\.\w+(?=")/g) ?? [];
      expect(promised.length).toBeGreaterThan(3);
      const names = pack(project).files.map((file) => file.path);
      const driver = ['pgduet.mjs', 'THIRD-PARTY-LICENSES', 'begin.sh', 'rds-ca.pem', 'prices/us-east-1.json'];
      const compiled = [...driver.map((name) => `runner/${name}`), 'THIRD-PARTY-LICENSES', 'pgduet.mjs.map'];
      expect(
        [...promised, ...compiled.map((name) => `dist/compiled/${name}`)].filter((name) => !names.includes(name)),
      ).toEqual([]);
    },
  );
});
