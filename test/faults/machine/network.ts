import { execFileSync } from 'node:child_process';

/**
 * Does something with TCP packets in a network namespace: `drop` loses them, `refuse` ends new connections.
 *
 * @param namespace file of the namespace
 * @returns how many packets have met it so far
 */
export function disturbNetwork(namespace: string, how: 'drop' | 'refuse'): () => number {
  const nft = (...words: string[]): string =>
    execFileSync('nsenter', [`--net=${namespace}`, 'nft', ...words], { encoding: 'utf8' });
  nft('add', 'table', 'ip', 'fault');
  nft('add', 'chain', 'ip', 'fault', 'out', '{ type filter hook output priority 0; }');
  const rule =
    how === 'drop'
      ? ['ip', 'protocol', 'tcp', 'counter', 'drop']
      : [...onlyNew, 'counter', 'reject', 'with', 'tcp', 'reset'];
  nft('add', 'rule', 'ip', 'fault', 'out', ...rule);
  return () => Number(/counter packets (\d+)/.exec(nft('list', 'table', 'ip', 'fault'))?.[1]);
}

const onlyNew = ['tcp', 'flags', '&', '(syn|ack)', '==', 'syn'];
