import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { connect } from '../../runner/postgres/connect.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

it.each([
  ['57P05', 'terminating connection due to idle-session timeout', 'idle_session_timeout'],
  ['57014', 'canceling statement due to statement timeout', 'statement_timeout'],
])('a server that ends each session with %s is not asked for ever, and the parameter is named', async (...of) => {
  const [code, message, parameter] = of;
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
  const length = Buffer.alloc(4);
  length.writeInt32BE(fields.length + 4);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, fields])));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const file = path.join(temporaryFolder(), 'pgpass');
  writeFileSync(file, '*:*:*:user:password\n');
  const { port } = server.address() as AddressInfo;
  const target = { server: 'one', host: '127.0.0.1', port, user: 'user', database: 'd' };
  const refused = connect({ ...target, environment: { PGPASSFILE: file } });
  await expect(refused).rejects.toThrow(`(${message}). Set its parameter ${parameter} to a larger value`);
  await expect(refused).rejects.toBeInstanceOf(UserError);
  await expect(refused).rejects.toHaveProperty('isTransient', false);
});
