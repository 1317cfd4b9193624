import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSums, sumOfFileIn } from '../../runner/files/sums.ts';
import { knowFolder } from '../../runner/files/open-folder.ts';
import { makeFolderIn } from '../../runner/files/write.ts';
import { appendTo, ledgerFiles, readLedger } from '../../runner/storage/ledger.ts';
import { newFolderStore } from '../../runner/storage/results-folder.ts';
import { manifestOf } from '../../runner/storage/run-files.ts';
import { DiskAfterCuts } from '../faults/power/power-cut.ts';
import { whyNoVolumes } from '../helpers/servers/limited-volumes.ts';
import { diskBytes, openRecordedDisk, type RecordedDisk } from '../faults/power/recorded-disk.ts';

describe.skipIf(whyNoVolumes !== null)('a power cut (needs root and what limited volumes need)', () => {
  let folder: string;
  let disk: RecordedDisk;
  const mounted: string[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'cut-'));
    disk = await openRecordedDisk(path.join(folder, 'recorded'));
  });
  afterEach(async () => {
    for (const place of mounted.splice(0)) execFileSync('umount', [place]);
    disk.log.close();
    await disk.close();
    rmSync(folder, { recursive: true });
  });

  /** Where the disk is mounted as a cut leaves it now. @param isKept whether it has what it was not told to flush */
  function afterCut(isKept: boolean): string {
    const place = path.join(folder, `cut-${String(isKept)}`);
    mkdirSync(place);
    new DiskAfterCuts(disk.log, diskBytes).writeImage(disk.log.readOn(), () => isKept, `${place}.img`);
    execFileSync('mount', ['-o', 'loop', `${place}.img`, place]);
    mounted.push(place);
    return place;
  }

  it.each([true, false])(
    'takes away nothing that a manifest names, whoever wrote it (cache kept: %s)',
    async (isKept) => {
      const trial = makeFolderIn(disk.mountPoint, 'trials/block-01-1-one');
      execFileSync('sh', ['-c', 'mkdir transactions && echo 1 | tee pgbench.stdout.log transactions/log.1'], {
        cwd: trial,
      });
      const names = ['pgbench.stdout.log', 'transactions/log.1'].map((name) => `trials/block-01-1-one/${name}`);
      await manifestOf(knowFolder(disk.mountPoint)).seal(names);
      const left = afterCut(isKept);
      const sums = readSums(left);
      expect([...(sums?.keys() ?? [])]).toEqual(names);
      for (const name of names) expect(await sumOfFileIn(left, name), name).toBe(sums?.get(name));
    },
  );

  it.each([true, false])(
    'takes away no folder of a run that has begun, nor the way to it (cache kept: %s)',
    (isKept) => {
      newFolderStore(path.join(disk.mountPoint, 'results', 'quick'), new Date('2026-11-21T12:00:00Z'));
      const left = path.join(afterCut(isKept), 'results', 'quick');
      expect(readdirSync(left)).toEqual(['2026-11-21T12-00-00Z', 'latest']);
      expect(realpathSync(path.join(left, 'latest'))).toBe(path.join(left, '2026-11-21T12-00-00Z'));
    },
  );

  it.each([true, false])('takes away no start that was charged (cache kept: %s)', async (isKept) => {
    const files = (top: string) =>
      ledgerFiles(path.join(top, 'results'), { id: '1', asks: 'which' }, { HOME: path.join(top, 'home') });
    const start = {
      kind: 'opened',
      at: '2026-11-21T12:00:00Z',
      start: 1,
      blocks: 6,
      level: 0.97,
      share: 0.03,
    } as const;
    mkdirSync(path.join(disk.mountPoint, 'results'));
    await appendTo(files(disk.mountPoint), { ...start, asks: 'which' });
    const left = afterCut(isKept);
    expect(readLedger(files(left))).toMatchObject({ entries: [start], notes: [] });
  });

  it('takes away what was only written: this is what the others rule out', () => {
    execFileSync('sh', ['-c', 'echo 1 > written'], { cwd: disk.mountPoint });
    const file = path.join(afterCut(true), 'written');
    expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe('');
  });
});
