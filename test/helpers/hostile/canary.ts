import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A file of root in a folder that only root may enter, to which links lead. */
export interface Canary {
  path: string;
  /** Content, owner, mode and times of the file and of its folder: equal as long as nobody has touched them. */
  state(): unknown;
}

export function makeCanary(parent: string): Canary {
  const folder = path.join(parent, 'only-for-root');
  mkdirSync(folder, { mode: 0o700 });
  const file = path.join(folder, 'canary');
  writeFileSync(file, 'sings', { mode: 0o600 });
  const shown = (one: string): object => {
    const { uid, gid, mode, mtimeMs, ctimeMs } = statSync(one);
    return { uid, gid, mode, mtimeMs, ctimeMs };
  };
  return {
    path: file,
    state: () => ({
      content: readFileSync(file, 'utf8'),
      names: readdirSync(folder),
      file: shown(file),
      folder: shown(folder),
    }),
  };
}
