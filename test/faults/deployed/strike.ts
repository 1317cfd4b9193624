import { setTimeout as sleep } from 'node:timers/promises';
import { fill } from '../machine/disks.ts';
import { signalAll } from '../machine/processes.ts';
import type { Injection } from '../plan.ts';
import type { Strike } from '../strike.ts';
import type { DeployedRun } from './deployed-run.ts';
import type { Gate, GateState } from './gate.ts';

const states: Record<Injection['kind'], GateState> = {
  STOP: 'held',
  KILL: 'shut',
  refuse: 'shut',
  slow: 'slow',
  full: 'open',
  vanish: 'held',
};

/** Hits a service of the account, or the driver. What is outside comes back after some seconds. */
export async function strikeDeployed(run: DeployedRun, injection: Injection): Promise<Strike | null> {
  const { target, kind, outageSeconds } = injection;
  const { gates, denied } = run.account;
  const strike = (what: string): Strike => ({ what, variant: null, lasting: false });
  if (target === 'driver') return disturbDriver(run, injection);
  if (kind === 'refuse' && (target === 'S3' || target === 'Secrets Manager')) {
    const service = target === 'S3' ? 's3' : 'secrets';
    denied[service] = true;
    await sleep(outageSeconds * 1000);
    denied[service] = false;
    return strike(`${target} denied every request for ${outageSeconds.toFixed(1)} s`);
  }
  const gate =
    target === 'S3' ? gates.s3 : target === 'Secrets Manager' ? gates.secrets : injection.draw.pick(gates.servers);
  await disturb([gate], states[kind], outageSeconds);
  return strike(`the way to ${target} was ${states[kind]} for ${outageSeconds.toFixed(1)} s`);
}

async function disturb(gates: readonly Gate[], state: GateState, seconds: number): Promise<void> {
  for (const gate of gates) gate.set(state);
  await sleep(seconds * 1000);
  for (const gate of gates) gate.set('open');
}

async function disturbDriver(run: DeployedRun, { kind, outageSeconds }: Injection): Promise<Strike> {
  const { servers, ...others } = run.account.gates;
  const lasting = (what: string): Strike => ({ what, variant: null, lasting: true });
  switch (kind) {
    case 'KILL':
      // All of it at once, as when the power goes.
      signalAll(run.processes(), 'SIGKILL');
      return lasting('the power of the driver went');
    case 'full':
      fill(run.results);
      return lasting(`filled ${run.results}`);
    case 'vanish':
      await disturb([...servers, ...Object.values(others)], 'held', outageSeconds);
      return lasting(`the network of the driver was gone for ${outageSeconds.toFixed(1)} s`);
    case 'slow':
      await disturb([...servers, ...Object.values(others)], 'slow', outageSeconds);
      return lasting(`the network of the driver was slow for ${outageSeconds.toFixed(1)} s`);
    default: {
      const all = run.processes();
      signalAll(all, 'SIGSTOP');
      await sleep(outageSeconds * 1000);
      signalAll(all, 'SIGCONT');
      return lasting(`the driver stood still for ${outageSeconds.toFixed(1)} s`);
    }
  }
}
