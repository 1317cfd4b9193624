import type { Injection } from '../plan.ts';

/** How a connection says that its server went away. */
const lostServer =
  /the backend died|ended \(|[Cc]onnection terminated|connection|ECONNRE|ETIMEDOUT|EPIPE|terminated by|recovery mode|starting up|shutting down|(did|has|had) not (end|complete|answer)|timeout/;
const brokenVolume =
  /The volume .* broke|The limits of a volume|Input\/output error|Read-only file system|I\/O error|\(E(IO|ROFS|UCLEAN)\)/;
/** What a trial says until it says anything else. */
export const cutOff = /^it was cut off: /;
const noRoom = /No space left|ENOSPC|the disk is full|Check free disk space/;

/** What a trial may give as the reason that it did not finish. */
export function expectedCause({ target, kind }: Injection): RegExp {
  const causes: Record<Injection['target'], RegExp[]> = {
    server: [lostServer],
    pgbench: [/pgbench.* ended with|did not (complete|end)/],
    'storage daemon': [brokenVolume, lostServer],
    nbdfuse: [brokenVolume, lostServer],
    runner: [cutOff],
    driver: [cutOff, lostServer],
    S3: [],
    'Secrets Manager': [],
  };
  const all = [...causes[target], ...(kind === 'full' ? [noRoom, lostServer, /did not complete/, cutOff] : [])];
  return all.length === 0 ? /$^/ : new RegExp(all.map(({ source }) => source).join('|'));
}
