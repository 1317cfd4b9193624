import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { runProgram } from './run-program.ts';

const ids = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** An ordinary user with a home, and thus a cache of npm, of their own. */
export interface User {
  home: string;
  /** Makes a folder that belongs to this user. */
  folder: (...names: string[]) => string;
  /** What to do in a folder. */
  in: (folder: string) => InFolder;
}

export interface InFolder {
  /** Runs a program, and returns what it prints. @throws if it fails */
  run: (program: string, ...args: string[]) => string;
  /** @throws if one of these is not in the folder */
  expect: (...names: string[]) => void;
}

/** @param programs folder with Node.js @param registry address */
export function makeUser(home: string, programs: string, registry: string): User {
  const own = (folder: string): string => {
    mkdirSync(folder, { recursive: true });
    if ('uid' in ids) runProgram('chown', [`${ids.uid}:${ids.gid}`, folder], { cwd: '/' });
    return folder;
  };
  own(home);
  const environment = {
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    TMPDIR: own(path.join(home, 'tmp')),
    CI: '1',
    npm_config_registry: registry,
    npm_config_ignore_scripts: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    no_proxy: '127.0.0.1',
    // How this machine reaches the registry behind that one.
    ...pick(['NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'https_proxy']),
    AWS_REGION: 'us-east-1',
  };
  return {
    home,
    folder: (...names) => own(path.join(home, ...names)),
    in: (cwd) => ({
      run: (program, ...args) => runProgram(program, args, { cwd, env: environment, ...ids }),
      expect: (...names) => {
        const missing = names.filter((name) => !existsSync(path.join(cwd, name)));
        if (missing.length > 0) throw new Error(`${cwd} has no ${missing.join(', ')}`);
      },
    }),
  };
}

function pick(names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.flatMap((name) => (name in process.env ? [[name, process.env[name]]] : [])));
}
