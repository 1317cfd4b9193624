import { execFileSync } from 'node:child_process';

/** Does something with TCP packets in the network namespace of a process: `drop` loses them, `refuse` ends new connections. */
export function disturbNetwork(pid: number, how: 'drop' | 'refuse'): void {
  const nft = (...words: string[]): void =>
    void execFileSync('nsenter', ['--target', String(pid), '--net', 'nft', ...words]);
  nft('add', 'table', 'ip', 'fault');
  nft('add', 'chain', 'ip', 'fault', 'out', '{ type filter hook output priority 0; }');
  const rule = how === 'drop' ? ['ip', 'protocol', 'tcp', 'drop'] : [...onlyNew, 'reject', 'with', 'tcp', 'reset'];
  nft('add', 'rule', 'ip', 'fault', 'out', ...rule);
}

const onlyNew = ['tcp', 'flags', '&', '(syn|ack)', '==', 'syn'];
