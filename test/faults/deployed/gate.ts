import { createServer, type Server, Socket } from 'node:net';

/**
 * What passes a gate. `held`: connections stay, new ones are made, and nothing passes, as if every packet were lost. `shut`:
 * connections break, and there are no new ones. `slow`: everything passes half a second late. `dripping`: of what the service
 * answers, each connection gets a byte every five seconds.
 */
export type GateState = 'open' | 'held' | 'shut' | 'slow' | 'dripping';

const lateMilliseconds = 500;
const dripMilliseconds = 5000;

/** A way to a service on this machine that can be disturbed without the service. */
export class Gate {
  private state: GateState = 'open';
  private disturbed = 0;
  private readonly connections = new Set<Socket>();
  /** What waits for the gate to open. */
  private waiting: (() => void)[] = [];
  /** What drips, by the connection that gets it. */
  private readonly drops = new Map<Socket, Buffer>();
  private dripping: NodeJS.Timeout | undefined;
  private readonly server: Server;
  private readonly servicePort: number;

  private constructor(servicePort: number) {
    this.servicePort = servicePort;
    this.server = createServer((client) => this.connect(client));
  }

  static async before(servicePort: number): Promise<Gate> {
    const gate = new Gate(servicePort);
    await new Promise<void>((resolve) => gate.server.listen(0, '127.0.0.1', resolve));
    return gate;
  }

  get port(): number {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('the gate has no port');
    return address.port;
  }

  /** How many connections and parts of what passes have met the gate when it was not open. */
  get met(): number {
    return this.disturbed;
  }

  set(state: GateState): void {
    this.state = state;
    clearInterval(this.dripping);
    if (state === 'dripping') this.dripping = setInterval(() => this.drip(1), dripMilliseconds).unref();
    else if (state !== 'held') this.drip(Infinity);
    if (state === 'shut') this.disturbed += this.breakConnections();
    if (state === 'held') return;
    const waiting = this.waiting;
    this.waiting = [];
    for (const pass of waiting) pass();
  }

  close(): void {
    clearInterval(this.dripping);
    this.breakConnections();
    this.server.close();
  }

  /** @returns how many there were */
  private breakConnections(): number {
    for (const socket of this.connections) socket.resetAndDestroy();
    return this.connections.size;
  }

  private connect(client: Socket): void {
    if (this.state === 'shut') {
      this.disturbed += 1;
      client.on('error', () => undefined);
      client.resetAndDestroy();
      return;
    }
    const service = new Socket();
    service.connect(this.servicePort, '127.0.0.1');
    this.join(client, service, (data) => {
      if (this.state === 'dripping') service.write(data);
      else this.pass(() => service.writable && service.write(data));
    });
    this.join(service, client, (data) => {
      if (this.state === 'dripping') this.beginToDrip(client, data);
      else this.pass(() => client.writable && client.write(data));
    });
  }

  private join(from: Socket, to: Socket, onData: (data: Buffer) => void): void {
    this.connections.add(from);
    from.on('data', onData);
    from.on('end', () => this.pass(() => to.end()));
    from.on('error', () => undefined);
    from.on('close', () => {
      this.connections.delete(from);
      this.pass(() => to.destroy());
    });
  }

  private beginToDrip(to: Socket, data: Buffer): void {
    this.disturbed += 1;
    this.drops.set(to, Buffer.concat([this.drops.get(to) ?? Buffer.alloc(0), data]));
  }

  /** Lets so many bytes of everything that drips through. */
  private drip(bytes: number): void {
    for (const [to, data] of this.drops) {
      if (to.writable) to.write(data.subarray(0, bytes));
      if (to.writable && data.length > bytes) this.drops.set(to, data.subarray(bytes));
      else this.drops.delete(to);
    }
  }

  /** Lets something through, in order: what came first also waits longest. */
  private pass(through: () => void): void {
    if (this.state === 'held' || this.state === 'slow') this.disturbed += 1;
    if (this.state === 'held' || this.state === 'dripping') this.waiting.push(through);
    else if (this.state === 'slow')
      setTimeout(() => (this.state === 'held' ? this.waiting.push(through) : through()), lateMilliseconds);
    else through();
  }
}
