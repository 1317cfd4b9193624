import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { ownIdentity, processIdentitySchema } from './identity.ts';

/** A folder in the temporary directory that says whose it is, so that leftovers of a killed run can be recognised. */
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

/**
 * Makes a folder in the temporary directory that only we can enter. It tells whose it is, so that it is a leftover when this
 * process has ended.
 */
export function makeOwnedFolder(): OwnedFolder {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), ownedPrefix)));
  const owner: Owner = { kind: 'pgduet-run-folder', process: ownIdentity(), kept: false };
  const save = (): void => writeFileSync(path.join(folder, ownerFile), JSON.stringify(owner), { mode: 0o600 });
  save();
  return {
    path: folder,
    keep() {
      owner.kept = true;
      save();
    },
  };
}
