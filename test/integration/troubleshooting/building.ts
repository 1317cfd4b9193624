import { chmodSync } from 'node:fs';
import path from 'node:path';
import { examineExtension } from '../../../runner/places/local/source/extension-build.ts';
import { buildServer, examineServer } from '../../../runner/places/local/source/server-build.ts';
import { temporaryFolder } from '../../helpers/fakes/fake-run.ts';
import { findingIn, repositoryOf, standInPostgres, writeTree } from '../../helpers/samples/source-code.ts';
import { asCommand, type Provocations } from './endings.ts';

/** A folder with a repository of what looks like PostgreSQL, which cannot be made, and one of something else. */
function withCode(): ReturnType<typeof findingIn> {
  const folder = temporaryFolder();
  // Another user may build there.
  chmodSync(folder, 0o755);
  repositoryOf(path.join(folder, 'postgres'), { base: { ...standInPostgres('17.5', '/dev/null'), broken: '' } });
  writeTree(path.join(folder, 'other'), { 'main.c': '' });
  return findingIn(folder);
}

const source = { git: 'postgres', configure: [] };

export const building: Provocations = {
  'variants.<name>.engine.source.commit is <commit>: <folder> has no such commit. …': () =>
    asCommand(() => examineServer({ ...source, commit: 'none' }, withCode())),
  'variants.<name>.engine.source.path is <folder>, which has no source code of PostgreSQL with its script configure. …':
    () => asCommand(() => examineServer({ path: 'other', configure: [] }, withCode())),
  'variants.<name>.engine.source: to build PostgreSQL <version>, this machine needs <tools>. …': () =>
    asCommand(() => examineServer({ ...source, configure: ['CC=no-such-compiler'] }, withCode())),
  'variants.<name>.engine.source: could not build PostgreSQL <version> from <code>: <step> failed. …': () =>
    asCommand(async () => {
      const finding = withCode();
      await buildServer(await examineServer(source, finding), finding);
    }),
  'variants.<name>.extension.source.path is <folder>, which has no Makefile. …': () =>
    asCommand(() => examineExtension({ path: 'other' }, { ...withCode(), key: 'variants.a.extension.source' })),
};
