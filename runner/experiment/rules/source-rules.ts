import { type RuleProblem, problemUnless } from '../../contract/check.ts';
import type { NamedCode } from '../../contract/experiment/source.ts';
import type { Variant } from '../../contract/experiment/variant.ts';
import { placeOfStorage } from '../../places/registry.ts';

/** Problems of what a variant has built: its server, or an extension. */
export function sourceProblems({ engine, extension, storage }: Partial<Variant>): RuleProblem[] {
  const isElsewhere = storage !== undefined && placeOfStorage(storage).buildsServers !== true;
  const named: [key: string[], code: NamedCode | undefined][] = [
    [['engine', 'source'], engine?.source],
    [['extension', 'source'], extension?.source],
  ];
  return [
    ...named.flatMap(([key, code]) =>
      code === undefined
        ? []
        : [
            ...codeProblems(key, code),
            ...problemUnless(
              'source-place',
              !isElsewhere,
              key,
              'pgduet builds only for servers that it makes on this machine; omit this, or use storage of type local',
            ),
          ],
    ),
    ...problemUnless(
      'source-version',
      engine?.source === undefined || engine.version === undefined,
      ['engine', 'version'],
      'the version of a server that is built follows from engine.source; omit one of them',
    ),
  ];
}

/** Over HTTP, even a user alone may be a token. */
const withPassword = /^(https?:\/\/[^/]*|[a-z+]+:\/\/[^/]*:[^/]*)@/i;

function codeProblems(key: readonly string[], { git, commit, path }: NamedCode): RuleProblem[] {
  const isNamed = git !== undefined || path !== undefined;
  const other = git === undefined ? 'commit' : 'git';
  return [
    ...problemUnless('source-code', isNamed, [...key], 'names no code; expected `git: REPOSITORY` or `path: FOLDER`'),
    ...problemUnless(
      'source-password',
      git === undefined || !withPassword.test(git),
      [...key, 'git'],
      'is an address with a user or a password, which every result would have; name it without, and let git ask its credential helper',
      // Without the value.
      'wrong-part',
    ),
    ...problemUnless(
      'source-code',
      path === undefined || (git === undefined && commit === undefined),
      [...key, 'path'],
      `${other} is of a repository, and this is a folder; omit one of them`,
    ),
  ];
}
