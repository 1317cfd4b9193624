import { describe, expect, it } from 'vitest';
import { configurationText } from '../../../runner/places/local/pooler.ts';
import type { PoolerRequest } from '../../../runner/places/local/pooler-program.ts';

const text = (changes: Partial<PoolerRequest> = {}, keepsStatements = false): string[] =>
  configurationText(
    {
      mode: 'transaction',
      poolSize: 4,
      clients: 50,
      program: { path: '/usr/sbin/pgbouncer', keepsStatements },
      ...changes,
    },
    { host: '127.0.0.1', port: 5432 },
    { port: 6432, users: '/run/users.txt' },
  ).split('\n');

describe('the configuration of PgBouncer', () => {
  it('listens on loopback alone, and lets in whom its file names, with a pool of the size that was asked for', () => {
    const asked = [
      'listen_addr = 127.0.0.1',
      'unix_socket_dir = ',
      'auth_type = scram-sha-256',
      'pool_mode = transaction',
    ];
    expect(text()).toEqual(expect.arrayContaining([...asked, 'default_pool_size = 4', 'max_client_conn = 70']));
    expect(text()).toContain('* = host=127.0.0.1 port=5432');
  });

  it('keeps prepared statements where it can and needs to', () => {
    const kept = (lines: string[]): boolean => lines.some((line) => line.startsWith('max_prepared_statements'));
    expect([text(), text({}, true), text({ mode: 'session' }, true)].map(kept)).toEqual([false, true, false]);
  });
});
