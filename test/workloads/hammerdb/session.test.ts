import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { asScript, startSession } from '../../../runner/workloads/hammerdb/session.ts';
import { versionOf } from '../../../runner/workloads/hammerdb/program/find-program.ts';
import { hasTcl, standIn } from '../../helpers/hammerdb/stand-in.ts';
import { ownTemporaryFolder } from '../../helpers/own-temporary-folder.ts';

const temporary = ownTemporaryFolder();
const { signal } = new AbortController();

it.skipIf(!hasTcl)('ends a process that takes longer than its limit, and keeps what it said', async () => {
  const install = standIn({});
  const log = path.join(temporary(), 'session.log');
  const script = asScript(['puts waiting', 'after 600000']);
  const { ended } = startSession({ install, script, limitSeconds: 1, signal, log });
  await expect(ended).rejects.toThrow(/HammerDB did not end within 0 minutes; its last line: waiting/);
  expect(readFileSync(log, 'utf8')).toMatch(/^HammerDB CLI v6.0\n[^]*waiting\n$/);
});

it.skipIf(!hasTcl)('says that a process ended before the line that is waited for', async () => {
  const session = startSession({ install: standIn({}), script: asScript(['puts over']), limitSeconds: 60, signal });
  await expect(session.until(/never/)).rejects.toThrow('HammerDB ended early; its last line: over');
});

describe.skipIf(!hasTcl)('the version', () => {
  it('is what the program says', async () => {
    expect(await versionOf(standIn({ version: 'v6.1.1' }), new AbortController().signal)).toBe('HammerDB v6.1.1');
  });

  it('is refused without the library of PostgreSQL, with the remedy', async () => {
    await expect(versionOf(standIn({ library: 'none' }), new AbortController().signal)).rejects.toThrow(
      /cannot reach PostgreSQL: Error: failed to load Pgtcl - no libpq\. Install the client library/,
    );
  });

  it('is refused where the program does not start', async () => {
    await expect(versionOf(temporary(), new AbortController().signal)).rejects.toThrow(/HammerDB in .* does not work/);
  });
});
