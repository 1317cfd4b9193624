import { readdirSync, readFileSync } from 'node:fs';
import { connect } from '../../../runner/postgres/connect.ts';
import { disconnect } from '../../../runner/postgres/unanswered.ts';
import type { Target } from '../../../runner/postgres/target.ts';

export interface StoppedServer {
  resume(): void;
}

/** Stops every process of a server, as a machine that hangs does. It must go on before it can be removed. */
export async function stopServer(target: Target): Promise<StoppedServer> {
  const client = await connect({ ...target, database: 'postgres' });
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const postmaster = parentOf(rows[0]?.pid ?? NaN);
  await disconnect(client);
  const children = readdirSync('/proc').flatMap((name) =>
    parentOf(Number(name)) === postmaster ? [Number(name)] : [],
  );
  const send = (signal: NodeJS.Signals): void => {
    for (const pid of [postmaster, ...children]) sendIfThere(pid, signal);
  };
  send('SIGSTOP');
  return { resume: () => send('SIGCONT') };
}

function sendIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in the meantime.
  }
}

/** NaN if there is no such process. */
function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    return NaN;
  }
}
