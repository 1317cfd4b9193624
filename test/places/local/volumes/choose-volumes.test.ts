import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UserError } from '../../../../runner/contract/errors.ts';
import { chooseVolumes, type VolumesChoice } from '../../../../runner/places/local/volumes/choose-volumes.ts';

describe('chooseVolumes', () => {
  let folder: string;
  const printed: string[] = [];
  const choose = (choice: VolumesChoice, areLimited = true) =>
    chooseVolumes(choice, {
      folder,
      areLimited,
      say: (line) => printed.push(line),
      signal: new AbortController().signal,
    });

  beforeEach(() => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'pgduet-choose-')));
    printed.length = 0;
  });
  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  it('gives folders that were asked for, installs nothing, and says what they cannot show', async () => {
    const volumes = await choose('folders');
    expect(volumes.kind).toBe('folders');
    expect(volumes.caveat).toContain('cannot show what a log volume does');
    expect(printed).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('gives an ordinary user folders, and the reason', async () => {
    vi.spyOn(process, 'getuid').mockReturnValue(1000);
    const volumes = await choose('auto');
    expect(volumes.kind).toBe('folders');
    expect(volumes.caveat).toContain('limited IOPS need root');
  });

  it('gives an experiment that limits nothing folders, which hide nothing from it', async () => {
    const volumes = await choose('auto', false);
    expect(volumes).toMatchObject({ kind: 'folders', caveat: null });
    expect(printed).toEqual([]);
  });

  it.runIf(process.platform === 'linux')('refuses limited volumes that cannot be had, with the remedy', async () => {
    vi.spyOn(process, 'getuid').mockReturnValue(1000);
    await expect(choose('limited')).rejects.toThrow(UserError);
    await expect(choose('limited')).rejects.toThrow(/^--volumes limited: .* Run it as root, or use --volumes folders/);
  });

  it('verifies nothing about a folder, which has no limit', async () => {
    const volumes = await choose('folders');
    const volume = await volumes.create({ name: 'a-data', sizeGib: 1, iops: 100 }, new AbortController().signal);
    expect(volume.path).toBe(path.join(folder, 'a-data'));
    expect(await volume.verify(new AbortController().signal)).toBeNull();
  });
});
