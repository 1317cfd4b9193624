import path from 'node:path';
import { writeFileIn } from '../../files/write.ts';

/**
 * The TPC-B-like script with some accounts in far more demand than others, as in most applications: the study of 2006 named
 * the even access of TPC-B as its weakness. How many get how much is `skew`, the parameter of a Zipfian distribution above 1.
 * The favourites lie all over the table, not side by side on its first pages.
 */
const tpcbSkewed = `\\set accounts 100000 * :scale
\\set aid 1 + permute(random_zipfian(1, :accounts, :skew) - 1, :accounts)
\\set bid random(1, 1 * :scale)
\\set tid random(1, 10 * :scale)
\\set delta random(-5000, 5000)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;
UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);
END;
`;

/** Scripts that pgbench does not have; each is one transaction on its tables. */
export const ownScripts: Readonly<Record<OwnScript, string>> = { 'tpcb-skewed': tpcbSkewed };
export const ownScriptNames = ['tpcb-skewed'] as const;
export type OwnScript = (typeof ownScriptNames)[number];

/** What the scripts read, unless the experiment says otherwise. One transaction in eight then goes to one account of a million. */
export const ownVariables = { skew: 1.1 } as const;

/** Folder of such scripts within the folder of a trial. */
export const scriptsIn = (folder: string): string => path.join(folder, scriptsName);
const scriptsName = 'scripts';

/** Writes scripts where a trial finds them. */
export async function writeScripts(folder: string, scripts: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(scripts)) {
    await writeFileIn(folder, path.join(scriptsName, `${name}.sql`), text);
  }
}
