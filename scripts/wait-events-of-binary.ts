import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { knownMajors } from '../runner/postgres/versions/known.ts';
import { runChecked } from '../runner/process/run-command.ts';

/** Names that no version after 16 has, by their types. Source: the tables of wait events in the manuals of 14 to 16. */
const onlyBefore17 = [
  'Activity:PgStatMain',
  'BufferPin:BufferPin',
  'IPC:HashGrowBatchesAllocate',
  'IPC:HashGrowBucketsAllocate',
  'LWLock:OldSnapshotTimeMap',
];

/**
 * The wait events that a program of PostgreSQL spells out among its constants. Which of them are names follows from the
 * names of later versions, which differ only in capitals.
 */
export async function spelledIn(program: string): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pgduet-constants-'));
  try {
    const file = path.join(folder, 'constants');
    await runChecked(['objcopy', '--dump-section', `.rodata=${file}`, program, path.join(folder, 'copy')]);
    const constants = readFileSync(file, 'latin1');
    const names = new Set([
      ...onlyBefore17,
      ...knownMajors.filter(({ major }) => major >= 17).flatMap(({ waitEvents }) => [...waitEvents]),
    ]);
    return [...names].flatMap((name) => {
      const [type = '', word = ''] = name.split(':');
      // A linker lets a text be the end of a longer one.
      const found = [...constants.matchAll(new RegExp(`${word}\\0`, 'gi'))].map(([text]) => text.slice(0, -1));
      const [spelling] = found.filter((text) => (type === 'Lock' ? /^[a-z]+$/ : /^[A-Z].*[a-z]/).test(text));
      return spelling === undefined ? [] : [`${type}:${spelling}`];
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
