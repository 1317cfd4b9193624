import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serverUser } from '../../runner/process/rights.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { whyNoVolumes } from '../helpers/servers/limited-volumes.ts';
import { type LocalCluster, queryOn, startLocalCluster } from '../helpers/servers/local-cluster.ts';
import { Services } from '../helpers/servers/services.ts';
import { oneBlock, tinyRun } from '../helpers/processes/tiny-run.ts';

describe.skipIf(whyNoVolumes !== null)('servers without room for the load', () => {
  const services = new Services();
  const folder = mkdtempSync(path.join(tmpdir(), 'room-'));
  const [disk, space] = [path.join(folder, 'disk'), path.join(folder, 'space')];
  const [ample, hidden] = [clusterForAll(), clusterForAll()];
  let small: LocalCluster;

  beforeAll(async () => {
    chmodSync(folder, 0o711);
    for (const [mount, size] of [[disk, '160m'] as const, [space, '60m'] as const]) {
      mkdirSync(mount);
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=1777`, 'tmpfs', mount]);
    }
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = disk;
    small = await startLocalCluster();
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    // Nobody outside the server knows where it makes databases: where template1 is.
    const { uid, gid } = serverUser();
    mkdirSync(path.join(space, 'databases'));
    chownSync(path.join(space, 'databases'), uid, gid);
    await queryOn(hidden.target, `CREATE TABLESPACE small LOCATION '${path.join(space, 'databases')}'`);
    await queryOn({ ...hidden.target, database: 'postgres' }, 'ALTER DATABASE template1 SET TABLESPACE small');
    for (const [name, cluster] of Object.entries({ ample, hidden, small })) await services.addRole(name, cluster);
  });
  afterAll(async () => {
    await small.remove();
    await hidden.remove();
    for (const mount of [disk, space]) execFileSync('umount', [mount]);
    rmSync(folder, { recursive: true });
  });

  const ours = async (): Promise<unknown[]> => {
    const query = "SELECT datname FROM pg_database WHERE datname LIKE 'pgduet%tiny%'";
    return (await Promise.all([ample, hidden, small].map(({ target }) => queryOn(target, query)))).flatMap(
      ({ rows }) => rows,
    );
  };
  const load = (server: string, ...args: string[]) => {
    const tiny = tinyRun();
    tiny.define({ ...oneBlock, workload: { ...oneBlock.workload, scale: 20 } });
    const all = ['load-run', 'tiny', '--servers', `ample,${server}`, '--allow-activity', ...args];
    return tiny.runAs({ environment: services.environment }, ...all).ended;
  };

  it('are refused before anything is made, if this machine shows their disk', async () => {
    const { exitCode, text } = await load('small');
    expect({ exitCode, text }).toEqual({
      exitCode: 2,
      text: expect.stringMatching(/small: the disk of the server has room for only 0.1 GiB/) as string,
    });
    expect(text).not.toContain('load ...');
    expect(await ours()).toEqual([]);
  });

  it('fail the load by name if nobody shows their disk, and nothing is left on any server', async () => {
    const { exitCode, stdout, stderr } = await load('hidden', '--json');
    expect(exitCode, stderr).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'disk-full' } });
    expect(await ours()).toEqual([]);
  });
});
