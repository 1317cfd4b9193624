import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Gate, type GateState } from './gate.ts';

const service = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
beforeAll(() => once(service.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => service.close());

async function newGate(): Promise<Gate> {
  const gate = await Gate.before((service.address() as AddressInfo).port);
  onTestFinished(() => gate.close());
  return gate;
}

describe('a gate', () => {
  it.each<GateState>(['held', 'shut', 'slow', 'dripping'])('that is %s counts whoever meets it', async (state) => {
    const gate = await newGate();
    gate.set(state);
    const client = connect(gate.port, '127.0.0.1').on('error', () => undefined);
    client.write('hello');
    await expect.poll(() => gate.met).toBeGreaterThan(0);
    client.destroy();
  });

  it('that is dripping lets the rest of an answer through when it opens, in order', async () => {
    const gate = await newGate();
    gate.set('dripping');
    const client = connect(gate.port, '127.0.0.1').on('error', () => undefined);
    let answer = '';
    client.on('data', (data) => (answer += data.toString()));
    client.write('hello ');
    await expect.poll(() => gate.met).toBe(1);
    expect(answer).toBe('');
    gate.set('open');
    client.write('again');
    await expect.poll(() => answer).toBe('hello again');
    client.destroy();
  });

  it('that is open counts nothing', async () => {
    const gate = await newGate();
    const client = connect(gate.port, '127.0.0.1');
    client.end('hello').resume();
    await once(client, 'close');
    expect(gate.met).toBe(0);
  });

  it.each<GateState>(['held', 'shut', 'slow', 'dripping'])(
    'that nobody meets while it is %s counts nothing',
    async (state) => {
      const gate = await newGate();
      gate.set(state);
      gate.set('open');
      expect(gate.met).toBe(0);
    },
  );
});
