import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Finding } from '../../../runner/places/local/source/code.ts';

/** Writes files, by their names in a folder, which all may read. */
export function writeTree(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, 0o644);
  }
  return folder;
}

/** Runs git in a folder. @returns what it prints */
export function git(folder: string, ...command: string[]): string {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
  const quiet = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', PATH: process.env['PATH'] };
  return execFileSync('git', ['-C', folder, ...who, ...command], { encoding: 'utf8', env: quiet }).trim();
}

/** A repository with a commit for each of these trees, each tagged by its key. */
export function repositoryOf(
  folder: string,
  commits: Readonly<Record<string, Readonly<Record<string, string>>>>,
): string {
  mkdirSync(folder, { recursive: true });
  git(folder, 'init', '--quiet', '--initial-branch=main');
  for (const [tag, files] of Object.entries(commits)) {
    writeTree(folder, files);
    git(folder, 'add', '--all');
    git(folder, 'commit', '--quiet', '--allow-empty', `--message=${tag}`);
    git(folder, 'tag', tag);
  }
  return folder;
}

/**
 * What looks like source code of PostgreSQL to whoever builds it, and takes a moment. Its configure notes its options, and each
 * build adds a line to a log.
 *
 * @param built file that gets a line for each build, which everybody may write to
 */
export function standInPostgres(version: string, built: string): Record<string, string> {
  return {
    configure: `#!/bin/sh
PACKAGE_NAME='PostgreSQL'
PACKAGE_VERSION='${version}'
for option; do
  case "$option" in
    --prefix=*) prefix=\${option#--prefix=} ;;
    --with-nothing) echo "configure: WARNING: unrecognized options: --with-nothing" ;;
    --with-failure) echo "checking for library containing readline... no"
      echo "configure: error: readline library not found" >&2
      exit 1 ;;
  esac
done
echo "prefix = $prefix" > config.mk
`,
    'src/backend/parser/gram.c': '/* made by bison */\n',
    Makefile: `include config.mk
all:
	echo built >> ${built}
	@if [ -e slow ]; then sleep 2; fi
	@if [ -e broken ]; then echo "main.c:1:1: error: no such thing" >&2; exit 1; fi
install:
	mkdir -p $(DESTDIR)$(prefix)/bin
	printf '#!/bin/sh\\necho "postgres (PostgreSQL) ${version}"\\n' > $(DESTDIR)$(prefix)/bin/postgres
	chmod +x $(DESTDIR)$(prefix)/bin/postgres
`,
    'contrib/Makefile': 'all install:\n\t@true\n',
  };
}

/** What finding code needs, in a folder that all may enter. */
export function findingIn(folder: string, changes: Partial<Finding> = {}): Finding & { said: string[] } {
  const said: string[] = [];
  return {
    key: 'variants.a.engine.source',
    folder,
    environment: { ...process.env, XDG_CACHE_HOME: path.join(folder, 'cache') },
    say: (line) => said.push(line),
    signal: new AbortController().signal,
    ...changes,
    said,
  };
}
