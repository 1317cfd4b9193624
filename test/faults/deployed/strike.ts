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
  drip: 'dripping',
  full: 'open',
  vanish: 'held',
  swap: 'open',
};

/**
 * Hits a service of the account, or the driver; null if nobody met it. What is outside comes back after some seconds.
 */
export async function strikeDeployed(run: DeployedRun, injection: Injection): Promise<Strike | null> {
  const { target, kind, outageSeconds } = injection;
  const { gates, permissions } = run.account;
  const strike = (what: string): Strike => ({ what, variant: null, lasting: false });
  if (target === 'driver') return disturbDriver(run, injection);
  if (kind === 'refuse' && (target === 'S3' || target === 'Secrets Manager')) {
    const isMet = await disturb(
      [permissions[target === 'S3' ? 's3' : 'secrets']],
      ['denied', 'allowed'],
      outageSeconds,
    );
    return isMet && strike(`${target} denied every request for ${outageSeconds.toFixed(1)} s`);
  }
  const gate =
    target === 'S3' ? gates.s3 : target === 'Secrets Manager' ? gates.secrets : injection.draw.pick(gates.servers);
  const isMet = await disturb([gate], [states[kind], 'open'], outageSeconds);
  return isMet && strike(`the way to ${target} was ${states[kind]} for ${outageSeconds.toFixed(1)} s`);
}

/** What lets something pass, and counts what it did not let pass. */
interface Way<State> {
  readonly met: number;
  set(state: State): void;
}

/** @returns true if anybody has met it, otherwise null */
async function disturb<State>(
  ways: readonly Way<State>[],
  [disturbed, usual]: readonly [State, State],
  seconds: number,
): Promise<true | null> {
  const met = (): number => ways.reduce((sum, way) => sum + way.met, 0);
  const before = met();
  for (const way of ways) way.set(disturbed);
  await sleep(seconds * 1000);
  for (const way of ways) way.set(usual);
  return met() > before || null;
}

async function disturbDriver(run: DeployedRun, { kind, outageSeconds, draw }: Injection): Promise<Strike | null> {
  const { servers, ...others } = run.account.gates;
  const gates: Gate[] = [...servers, ...Object.values(others)];
  const lasting = (what: string): Strike => ({ what, variant: null, lasting: true });
  switch (kind) {
    case 'KILL':
      return (await run.losePower(() => draw.share() < 0.5)) ? lasting('the power of the driver went') : null;
    case 'full':
      fill(run.results);
      return lasting(`filled ${run.results}`);
    case 'vanish':
      return (
        (await disturb(gates, ['held', 'open'], outageSeconds)) &&
        lasting(`the network of the driver was gone for ${outageSeconds.toFixed(1)} s`)
      );
    case 'slow':
      return (
        (await disturb(gates, ['slow', 'open'], outageSeconds)) &&
        lasting(`the network of the driver was slow for ${outageSeconds.toFixed(1)} s`)
      );
    default: {
      const all = run.processes();
      if (!signalAll(all, 'SIGSTOP')) return null;
      await sleep(outageSeconds * 1000);
      signalAll(all, 'SIGCONT');
      return lasting(`the driver stood still for ${outageSeconds.toFixed(1)} s`);
    }
  }
}
