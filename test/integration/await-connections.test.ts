import { describe, expect, it } from 'vitest';
import { probeConnection } from '../../runner/rds/place/await-database.ts';
import { connect, withConnection } from '../../runner/postgres/connect.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';

const cluster = clusterForAll();

/** Nobody listens at it. */
const closedPort = 1;

describe('whether a server takes statements that write', () => {
  it('is so for a primary, and for one that refuses for a reason that does not pass', async () => {
    expect(await probeConnection(cluster.target)).toBe(null);
    expect(await probeConnection({ ...cluster.target, user: 'nobody_of_this_name' })).toBe(null);
  });

  it('is not so while it refuses connections', async () => {
    const gone = { ...cluster.target, port: closedPort };
    const why = 'Server test at 127.0.0.1:1 does not accept connections (nothing accepts connections there).';
    expect(await probeConnection(gone)).toBe(why);
    await expect(connect(gone)).rejects.toMatchObject({ message: why, isTransient: true });
  });

  it('is not so while its address leads to a standby', async () => {
    await withConnection({ ...cluster.target, database: 'postgres' }, async (client) => {
      // Stands for a standby: a second server would take a minute.
      await client.query('CREATE SCHEMA standby');
      await client.query('CREATE FUNCTION standby.pg_is_in_recovery() RETURNS boolean RETURN true');
      await client.query(`ALTER ROLE ${cluster.target.user} SET search_path = standby, pg_catalog`);
    });
    expect(await probeConnection(cluster.target)).toBe('The address of test points to a standby.');
  });
});
