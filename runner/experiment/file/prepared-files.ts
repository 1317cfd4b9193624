import path from 'node:path';
import { isSqlFile, isSqlFolder, type Variant } from '../../contract/experiment/variant.ts';
import { isFolder, namesIn } from '../../files/look.ts';

/** Variants with the files of each folder of `prepare` in its place. */
export function withFilesOfFolders<T extends Pick<Partial<Variant>, 'prepare'>>(
  variants: Readonly<Record<string, T>>,
  folder: string,
): Record<string, T> {
  return Object.fromEntries(
    Object.entries(variants).map(([name, variant]): [string, T] => {
      const prepare = variant.prepare?.flatMap((one) => (isSqlFolder(one) ? sqlFilesIn(one, folder) : one));
      return [name, prepare ? { ...variant, prepare } : variant];
    }),
  );
}

/** The SQL files of a folder in the order of their names, as an experiment would name each. */
function sqlFilesIn(name: string, folder: string): string[] {
  const files = namesIn(path.resolve(folder, name)).filter((one) => isSqlFile(one));
  return files.map((file) => `${name}${file}`);
}

/** Why a folder of `prepare` says nothing, or too much, in words that follow `which`; null if it is right. */
export function whyNoSqlFolder(name: string, folder: string): string | null {
  const place = path.resolve(folder, name);
  if (!isFolder(place)) return `is not in ${folder}`;
  const blank = namesIn(place).find((file) => /\.sql$/i.test(file) && !isSqlFile(file));
  if (blank !== undefined) return `has a file with blanks in its name, "${blank}"; rename it`;
  return sqlFilesIn(name, folder).length === 0 ? 'has no file NAME.sql; add one, or omit the folder' : null;
}
