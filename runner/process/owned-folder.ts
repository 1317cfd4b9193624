import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { temporaryFolder } from '../files/open-folder.ts';
import { ownIdentity, processIdentitySchema } from './tracked-process.ts';

/** A folder in the temporary directory that names its owner, so that leftovers of a killed run can be recognised. */
export interface OwnedFolder {
  path: string;
  /** From now on, the folder stays after the end of its run. */
  keep: () => void;
}

export const ownerSchema = z.object({
  kind: z.literal('pgduet-run-folder'),
  process: processIdentitySchema,
  kept: z.boolean(),
});
export type Owner = z.output<typeof ownerSchema>;

/** How the names of such folders begin. */
export const ownedPrefix = 'pgduet-';
export const ownerFile = 'owner.json';
/** Its name until it is complete. */
export const unfinishedOwnerFile = `${ownerFile}.new`;

/**
 * Makes a folder in the temporary directory that only we can enter. It names its owner, so that it counts as a leftover
 * when this process has ended.
 */
export function makeOwnedFolder(): OwnedFolder {
  return claimFolder(mkdtempSync(path.join(temporaryFolder(), ownedPrefix)));
}

/** Records the owner of a new, empty folder. If that fails, for example on a full disk, it removes the folder. */
function claimFolder(folder: string): OwnedFolder {
  const save = (kept: boolean): void => {
    const owner: Owner = { kind: 'pgduet-run-folder', process: ownIdentity(), kept };
    const unfinished = path.join(folder, unfinishedOwnerFile);
    writeFileSync(unfinished, JSON.stringify(owner), { mode: 0o600 });
    renameSync(unfinished, path.join(folder, ownerFile));
  };
  try {
    save(false);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    path: folder,
    keep() {
      save(true);
    },
  };
}
