import { describe, expect, it } from 'vitest';
import { declaredValues } from '../../runner/analysis/undeclared-differences.ts';
import { sourceSchema } from '../../runner/contract/experiment/source.ts';
import { controlsOf } from '../../runner/experiment/groups.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { withRecordedCommits } from '../../runner/experiment/file/recorded-code.ts';
import { differencesOf } from '../../runner/experiment/plan/differences.ts';
import { codesIn, folderWithExperiment, problemsIn, smallExperiment } from '../helpers/samples/experiment-file.ts';

const repository = { git: '../postgres' };
const local = {
  ...smallExperiment(),
  common: { storage: { type: 'local' }, engine: { source: repository } },
  variants: { base: { engine: { source: { commit: 'master' } } }, head: { engine: { source: { commit: 'patch' } } } },
  baseline: 'base',
};
const inVariants = (variants: object, common: object = { storage: { type: 'local' } }) => ({
  ...local,
  common,
  variants,
});

describe('a variant that is built', () => {
  const load = (content: object) =>
    loadExperiment('small', { folder: folderWithExperiment('small', content) }).experiment;

  it('may differ from another one only in its commit', () => {
    const { variants } = load(local);
    expect(variants['head']?.engine.source).toEqual({ ...repository, commit: 'patch', configure: [] });
    expect(differencesOf(variants).map(({ property }) => property)).toEqual(['engine.source.commit']);
  });

  it('with the source of the baseline is a control', () => {
    const source = { ...repository, commit: 'master' };
    const experiment = load(inVariants({ base: { engine: { source } }, again: { engine: { source } }, head: {} }));
    expect([...controlsOf(experiment)]).toEqual(['again']);
  });

  it('declares its version by its source, so that versions that differ are meant to', () => {
    const experiment = load(
      inVariants({ base: {}, head: { engine: { source: repository }, extension: { source: { git: '.' } } } }),
    );
    const declared = (variant: string) =>
      declaredValues(
        { experiment: { definition: experiment } } as unknown as Parameters<typeof declaredValues>[0],
        variant,
      );
    expect(declared('base').get('version')).toBeUndefined();
    expect(declared('head').get('version')).toBe('"HEAD of ../postgres"');
    expect(declared('head').get('extension')).toBe('"HEAD of ."');
  });

  it('is no reason to warn that versions differ', () => {
    const { warnings } = loadExperiment('small', {
      folder: folderWithExperiment(
        'small',
        inVariants({ base: { engine: { version: '17' } }, head: { engine: { source: repository } } }),
      ),
    });
    expect(warnings.filter(({ id }) => id === 'variants')).toEqual([]);
  });
});

it('a repeated run has the commits that it built, wherever their branches are now', () => {
  const [base, head] = ['a'.repeat(40), 'b'.repeat(40)];
  const { variants } = loadExperiment('small', {
    folder: folderWithExperiment(
      'small',
      inVariants({
        base: { engine: { source: repository } },
        head: { extension: { source: { git: '.' } } },
        tree: { engine: { source: { path: '.' } } },
      }),
    ),
  }).experiment;
  const code = { from: '', compiler: '' };
  const repeated = withRecordedCommits(variants, {
    base: { server: { ...code, commit: base, configure: [] } },
    head: { extension: { ...code, commit: head, names: [] } },
    tree: { server: { ...code, content: 'c', configure: [] } },
  });
  expect(repeated['base']?.engine.source?.commit).toBe(base);
  expect(repeated['head']?.extension?.source.commit).toBe(head);
  expect(repeated['tree']).toEqual(variants['tree']);
});

describe('what cannot be built', () => {
  it.each<[string, object, string[]]>([
    ['no code', { engine: { source: {} } }, ['source-code variants.head.engine.source']],
    [
      'two places of code',
      { engine: { source: { ...repository, path: '.' } } },
      ['source-code variants.head.engine.source.path'],
    ],
    [
      'a commit of a folder',
      { extension: { source: { path: '.', commit: 'x' } } },
      ['source-code variants.head.extension.source.path'],
    ],
    [
      'a version beside its source',
      { engine: { version: '17', source: repository } },
      ['source-version variants.head.engine.version'],
    ],
    [
      'an address with a password',
      { engine: { source: { git: 'https://me:secret@example.com/x' } } },
      ['source-password variants.head.engine.source.git'],
    ],
    [
      'an option of git in place of a repository',
      { engine: { source: { git: '--upload-pack=x' } } },
      ['wrong-value variants.head.engine.source.git'],
    ],
    [
      'an option of git in place of a commit',
      { engine: { source: { ...repository, commit: '--output=x' } } },
      ['wrong-value variants.head.engine.source.commit'],
    ],
    [
      'a folder in place of that of pgduet',
      { engine: { source: { ...repository, configure: ['--prefix=/usr'] } } },
      ['wrong-value variants.head.engine.source.configure.0'],
    ],
  ])('%s is refused', (_, head, problems) => {
    expect(codesIn(inVariants({ base: {}, head }))).toEqual(problems);
  });

  it('shows no password', () => {
    const git = 'https://me:secret@example.com/x';
    expect(JSON.stringify(problemsIn(inVariants({ base: {}, head: { engine: { source: { git } } } })))).not.toContain(
      'secret',
    );
  });

  it('is a server in RDS, and one that exists', () => {
    const build = { engine: { source: repository }, extension: { source: { path: '.' } } };
    const both = ['source-place variants.head.engine.source', 'source-place variants.head.extension.source'];
    expect(
      codesIn(inVariants({ base: { server: { service: 'one' } }, head: { server: { service: 'two' }, ...build } }, {})),
    ).toEqual(both);
    const { common } = smallExperiment();
    const deployed = codesIn(inVariants({ base: {}, head: build }, common));
    expect(deployed).toEqual(expect.arrayContaining(both));
  });
});

it.each([
  '--enable-cassert',
  '--without-icu',
  'CFLAGS=-O2 -g',
  'CC=clang',
  '--with-blocksize=32',
  '--with-includes=/opt/x',
])('%s is an option of configure', (option) => {
  expect(sourceSchema.safeParse({ path: '.', configure: [option] }).success).toBe(true);
});

it.each([
  '--prefix=/x',
  '--bindir=/x',
  '--libdir',
  '--datarootdir=/x',
  '-C',
  'x',
  '--help',
  '--srcdir=..',
  'cc=gcc',
  '; rm -rf /',
])('%s is none that pgduet passes on', (option) => {
  expect(sourceSchema.safeParse({ path: '.', configure: [option] }).success).toBe(false);
});
