import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { withConnection } from '../../runner/postgres/connect.ts';
import type { Target } from '../../runner/postgres/target.ts';
import { processesBelow } from '../helpers/processes/command-line.ts';
import { oneBlock, onFolders, programsBelow, tinyRun, type TinyRun } from '../helpers/processes/tiny-run.ts';
import { whyNoVolumes } from '../helpers/servers/limited-volumes.ts';

const { common } = oneBlock;
/** One without a standby, one with one and a log volume of its primary, one with two. */
const experiment = {
  ...oneBlock,
  common: { ...common, storage: { ...common.storage, standbyIops: 300 } },
  variants: {
    none: {},
    one: { storage: { standbys: 1 }, dedicatedLogVolume: true },
    two: { storage: { standbys: 2 } },
  },
  baseline: 'none',
};

let tiny: TinyRun;
beforeEach(() => {
  tiny = tinyRun();
  tiny.define(experiment);
});

/** How a kept server sees its standbys, and what it keeps for them. */
async function standbysOf(target: Target): Promise<Record<string, string>[]> {
  return withConnection(target, async (client) => {
    const { rows } = await client.query<Record<string, string>>(
      `SELECT application_name AS name, sync_state AS state, slot_name AS slot, active::text,
              current_setting('synchronous_standby_names') AS waits
         FROM pg_stat_replication JOIN pg_replication_slots ON active_pid = pid ORDER BY 1`,
    );
    return rows;
  });
}

const areLimited = whyNoVolumes === null;
const here = areLimited ? ['--local', '--volumes', 'limited'] : onFolders;

describe('standbys', () => {
  test('are synchronous, kept with their primary, measured, and removed', async () => {
    const loaded = await tiny.run('load', 'tiny', ...here).ended;
    expect(loaded.exitCode, loaded.stderr).toBe(0);
    const [folder = ''] = readdirSync(tiny.temporary).filter((name) => name.startsWith('pgduet-'));
    const kept = path.join(tiny.temporary, folder);
    const { variants } = JSON.parse(readFileSync(path.join(kept, 'kept.json'), 'utf8')) as {
      variants: { target: Target; standbys: { target: Target }[] }[];
    };
    const [none, one, two] = variants;
    if (!none || !one || !two) throw new Error('three variants were kept');
    expect(await standbysOf(none.target)).toEqual([]);
    const standby = (name: string, state: string, waits: string) => ({
      name,
      state,
      slot: name,
      active: 'true',
      waits,
    });
    expect(await standbysOf(one.target)).toEqual([standby('standby1', 'sync', 'FIRST 1 (standby1)')]);
    expect(await standbysOf(two.target)).toEqual(
      ['standby1', 'standby2'].map((name) => standby(name, 'quorum', 'ANY 1 (standby1, standby2)')),
    );
    // What was loaded is there, too, and parameters are those of the primary.
    const replica = { ...(one.standbys[0]?.target ?? one.target), database: 'pgduet' };
    const observed = await withConnection(replica, async (client) => {
      const { rows } = await client.query<Record<string, string>>(
        "SELECT pg_is_in_recovery()::text AS standby, current_setting('max_wal_size') AS size, (SELECT count(*) FROM pgbench_accounts)::text AS rows",
      );
      return rows[0];
    });
    expect(observed).toEqual({ standby: 'true', size: '64MB', rows: '100000' });
    // The password is in files of its users only, and in no argument.
    const passwords = readdirSync(path.join(kept, 'servers')).filter((name) => name.endsWith('.pgpass'));
    expect(passwords).toHaveLength(6);
    const password = readFileSync(path.join(kept, 'servers', 'one.standby1.pgpass'), 'utf8')
      .trim()
      .split(':')
      .at(-1);
    for (const name of passwords) expect(statSync(path.join(kept, 'servers', name)).mode & 0o777).toBe(0o600);
    expect(processesBelow(tiny.temporary).join('\n')).not.toContain(password);

    const { exitCode, stderr } = await tiny.run('run', 'tiny', ...here).ended;
    expect(exitCode, stderr).toBe(0);
    const result = tiny.result();
    expect(result.trials.map(({ state }) => state)).toEqual(Array.from({ length: 3 }, () => 'finished'));
    expect(result.place.caveats.join()).toContain('block mirroring, as on a Multi-AZ instance, is not possible here');
    expect(result.place.volumes.map(({ volume }) => volume)).toEqual(
      areLimited
        ? ['none-data', 'one-data', 'one-log', 'one-standby1', 'two-data', 'two-standby1', 'two-standby2']
        : [],
    );
    expect((await tiny.run('clean').ended).stdout).toContain('Removed');
    tiny.expectNothingLeft();
  });

  test('fail the trial of their primary when one ends, and nothing is left', async () => {
    const { one, two } = experiment.variants;
    tiny.define({ ...experiment, variants: { one, two }, baseline: 'one' });
    const command = tiny.loadRun('--profile', 'long-trials', '-v');
    await command.shown('loaded two');
    await tiny.underLoad();
    const standbys = programsBelow(tiny.temporary, 'postgres').filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('-standby1/data'),
    );
    expect(standbys).toHaveLength(2);
    for (const pid of standbys) process.kill(pid, 'SIGKILL');
    const { exitCode } = await command.ended;
    expect(exitCode).toBe(1);
    expect(tiny.result().trials[0]).toMatchObject({
      state: 'failed',
      failure: { error: expect.stringMatching(/the server of (one|two)\.standby1 ended \(SIGKILL\)/) as string },
    });
    tiny.expectNothingLeft();
  });

  test('are gone after an interruption', async () => {
    const command = tiny.run('load-run', 'tiny', ...here, '--profile', 'long-load', '-v');
    await command.shown('loaded one');
    command.process.kill('SIGINT');
    expect((await command.ended).exitCode).toBe(130);
    tiny.expectNothingLeft();
  });
});
