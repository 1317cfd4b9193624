import { UserError } from '../../../contract/errors.ts';
import type { NamedCode } from '../../../contract/experiment/source.ts';
import type { Finding, SourceCode } from './code.ts';
import { folderCode } from './folder-code.ts';
import { gitCode } from './git-code.ts';

/**
 * Finds the source code that an experiment names.
 *
 * @throws {UserError} if there is no such folder, repository or commit
 */
export function findCode(named: NamedCode, finding: Finding): Promise<SourceCode> {
  const { git, commit, path } = named;
  if (path !== undefined) return folderCode(path, finding);
  if (git !== undefined) return gitCode({ git, commit }, finding);
  throw new UserError(`${finding.key} names no source code. Add git or path.`);
}
