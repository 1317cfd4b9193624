import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { connectionString, type Target } from '../../runner/postgres/target.ts';
import { CommandError, runChecked } from '../../runner/process/run-command.ts';
import { type Client, withClient } from '../../runner/process/client.ts';
import { readByPsql } from '../../runner/workloads/own-data/psql.ts';
import { loadDump, openDump, requireReadable } from '../../runner/workloads/own-data/restore-dump.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';

const { signal } = new AbortController();
const secret = 'what nobody else may read';
const tables = `
  CREATE TABLE "a; touch pwned $(touch pwned) \`touch pwned\`" (id int);
  CREATE TABLE "../../pwned" AS SELECT generate_series(1, 100) AS id;
  DO $$ BEGIN FOR i IN 1 .. 30 LOOP EXECUTE format('CREATE TABLE t%s ()', i); END LOOP; END $$`;

const cluster = clusterForAll({ fsync: 'off' });
let from: Target;
let to: Target;
const file = (name: string): string => path.join(cluster.folder, 'dumps', name);
beforeAll(async () => {
  [from, to] = [
    { ...cluster.target, database: 'hostile' },
    { ...cluster.target, database: 'loaded' },
  ];
  await queryOn(cluster.target, 'CREATE DATABASE hostile');
  await queryOn(from, tables);
  mkdirSync(path.join(cluster.folder, 'dumps'));
  writeFileSync(path.join(cluster.folder, 'secret'), secret);
  for (const format of ['custom', 'tar']) {
    const command = [`${cluster.programs}/pg_dump`, `--format=${format}`, `--file=${file(format)}`];
    await runChecked([...command, connectionString(from)], {
      environment: { PATH: process.env['PATH'], ...from.environment },
    });
  }
});

const bytes = (change: (archive: Buffer) => void) => (): Buffer => {
  const archive = readFileSync(file('custom'));
  change(archive);
  return archive;
};
/** A number as pg_dump writes it, with the value 2^31 - 1. */
const huge = Buffer.from([0, 0xff, 0xff, 0xff, 0x7f]);
/** Damages a few bytes of the table of contents, each time the same. */
const drawn = (seed: number): (() => Buffer) =>
  bytes((archive) => {
    for (let at = seed; at < 3000; at = (at * 7919 + seed * 104_729 + 5) % 4500) archive[at + 5] = (at * 31) % 256;
  });

/** A tar file of files and links, of which the first is the table of contents. */
function tar(...members: { name: string; link?: string; text?: Buffer }[]): Buffer {
  const blocks = members.flatMap(({ name, link = '', text = Buffer.alloc(0) }) => {
    const head = Buffer.alloc(512);
    head.write(name);
    head.write('0000600\0', 100);
    head.write(`${text.length.toString(8).padStart(11, '0')}\0`, 124);
    head.write(`${' '.repeat(8)}${link === '' ? 0 : 2}${link}`, 148);
    head.write('ustar\0' + '00', 257);
    head.write(
      `${head
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    return [head, text, Buffer.alloc(-text.length & 511)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
const contents = (): Buffer => {
  const archive = readFileSync(file('tar'));
  return archive.subarray(512, 512 + parseInt(archive.toString('latin1', 124, 135), 8));
};

const archives: Record<string, () => Buffer> = {
  whole: bytes(() => undefined),
  'whole tar': () => readFileSync(file('tar')),
  'cut in its table of contents': () => readFileSync(file('custom')).subarray(0, 5000),
  'cut in its head': () => readFileSync(file('custom')).subarray(0, 8),
  'of zeros': () => Buffer.concat([Buffer.from('PGDMP'), Buffer.alloc(100_000)]),
  'of ones': () => Buffer.concat([Buffer.from('PGDMP'), Buffer.alloc(100_000, 0xff)]),
  'with integers of 255 bytes': bytes((archive) => archive.fill(0xff, 8, 9)),
  'that says it is a folder': bytes((archive) => archive.fill(5, 10, 11)),
  'that says it is a tar file': bytes((archive) => archive.fill(3, 10, 11)),
  ...Object.fromEntries(
    [11, 21, 51].map((at) => [`with an absurd length at ${at}`, bytes((archive) => archive.set(huge, at))]),
  ),
  ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8].map((seed) => [`with damage ${seed}`, drawn(seed)])),
  'whose table of contents is a link': () => tar({ name: 'toc.dat', link: path.join(cluster.folder, 'secret') }),
  'whose rows are links': () =>
    tar(
      { name: 'toc.dat', text: contents() },
      { name: '../pwned', text: Buffer.from('x') },
      ...[
        ...contents()
          .toString('latin1')
          .matchAll(/\d+\.dat/g),
      ].map(([name]) => ({
        name,
        link: path.join(cluster.folder, 'secret'),
      })),
    ),
  'with an absurd member': () => {
    const archive = readFileSync(file('tar'));
    archive.write('77777777777\0', 124);
    return archive;
  },
};

it.each(Object.entries(archives))(
  'an archive %s is loaded or refused in words, and reaches nothing else',
  async (...of) => {
    const [name, make] = of;
    writeFileSync(file(name), make());
    const places = { programs: cluster.programs, scriptFolder: path.join(cluster.folder, 'dumps') };
    const printed: string[] = [];
    try {
      await requireReadable(name, places, signal);
      await queryOn(cluster.target, 'DROP DATABASE IF EXISTS loaded');
      await queryOn(cluster.target, 'CREATE DATABASE loaded');
      const dump = await openDump(name, places, signal);
      const reads = readByPsql([name], places);
      const load = (client: Client): Promise<string> =>
        loadDump(to, dump, { ...places, client }, { signal, onProgress: () => undefined });
      printed.push(await withClient({ reads, signal }, load));
    } catch (error) {
      if (!(error instanceof UserError || error instanceof CommandError)) throw error;
      printed.push(error.message);
    }
    expect(printed.join('')).not.toContain(secret);
    expect(name.startsWith('whole') ? printed.join('') : '').not.toContain('error');
    for (const folder of ['', '..', 'dumps', '../..'])
      expect(existsSync(path.join(cluster.folder, folder, 'pwned'))).toBe(false);
  },
  60_000,
);

it('a folder of links is refused before anything reads it', async () => {
  mkdirSync(file('folder'));
  symlinkSync(path.join(cluster.folder, 'secret'), path.join(file('folder'), 'toc.dat'));
  const places = { programs: cluster.programs, scriptFolder: path.join(cluster.folder, 'dumps') };
  await expect(requireReadable('folder', places, signal)).rejects.toThrow('is a folder; expected a single file');
});
