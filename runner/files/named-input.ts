import { statSync } from 'node:fs';
import path from 'node:path';
import { exists, kindOf, realPath } from './look.ts';
import { trustedUsers } from './owners.ts';
import type { Readers } from './write.ts';

const othersMayRead = 0o004;
const othersMayEnter = 0o001;

/**
 * Who may read a file, of those who can reach another folder. Folders above both decide nothing: they protect both alike.
 * A group is not everybody: of a copy, the group may be another one.
 */
export function readersOf(file: string, folder: string): Readers {
  const real = realPath(file);
  // The folder of a file that a command is about to write may be missing yet.
  const shared = commonFolder([exists(folder) ? realPath(folder) : folder, path.dirname(real)]);
  if ((statSync(real).mode & othersMayRead) === 0) return 'owner';
  for (let at = path.dirname(real); at !== shared; at = path.dirname(at)) {
    if ((statSync(at).mode & othersMayEnter) === 0) return 'owner';
  }
  return 'everyone';
}

/** Where an experiment may name files. */
export interface InputBounds {
  /** The experiment file: whoever owns it wrote what it names. */
  file: string;
  /** Here it may name what everybody may read who may read the experiment. */
  workingFolder: string;
  /** Folders that the user has named, in which it may name all files, as in its own. */
  named: readonly string[];
}

/**
 * Why an experiment may not name an existing file, in words that follow `which`; null if it may. The experiment may come
 * from a stranger, and what it names is copied into the results and handed on with them. So it must not take out what only
 * this user may read. A link counts as what it leads to.
 */
export function whyNoInput(file: string, { file: experiment, workingFolder, named }: InputBounds): string | null {
  const real = realPath(file);
  const found = statSync(real);
  if (!found.isFile()) return `is ${kindOf(found)}; name a file`;
  if (readersOf(real, path.parse(real).root) === 'everyone') return null;
  const own = path.dirname(experiment);
  const inside = [own, ...named].map((folder) => nameIn(folder, real)).find((name) => name !== null);
  const isAsOpen = nameIn(workingFolder, real) !== null && readersOf(real, own) === 'everyone';
  if (inside === undefined && !isAsOpen) {
    return `${leadingTo(real, file)}is outside ${[own, ...named].join(' and ')}, and is not readable by everyone; copy it there, or allow its folder (--files-in ${path.dirname(real)})`;
  }
  // In a home, such files hold credentials.
  if ((inside ?? nameIn(workingFolder, real) ?? '').split(path.sep).some((part) => part.startsWith('.'))) {
    return `${leadingTo(real, file)}is hidden, and is not readable by everyone; give it a name that does not begin with a dot`;
  }
  const owner = statSync(experiment).uid;
  if (found.uid === owner || trustedUsers().has(owner)) return null;
  return `${leadingTo(real, file)}the owner of ${experiment} (id ${owner}) may not read; copy the experiment, or make the file readable by everyone`;
}

function leadingTo(real: string, file: string): string {
  return real === path.resolve(file) ? '' : `leads to ${real} and `;
}

/** Relative to a folder; null if it is not in it. */
function nameIn(folder: string, real: string): string | null {
  const name = path.relative(realPath(folder), real);
  return name === '..' || name.startsWith(`..${path.sep}`) ? null : name;
}

/** The deepest folder that contains all of these. */
export function commonFolder(folders: readonly string[]): string {
  const [first = [], ...others] = folders.map((folder) => path.resolve(folder).split(path.sep));
  const shared = first.findIndex((part, index) => others.some((parts) => parts[index] !== part));
  return first.slice(0, shared < 0 ? undefined : shared).join(path.sep) || path.sep;
}
