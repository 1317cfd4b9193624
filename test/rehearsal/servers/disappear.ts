import { runChecked } from '../../../runner/process/run-command.ts';

/**
 * Drops every packet to and from an address, as if its host had lost its power: no client hears anything.
 *
 * @returns brings the host back
 */
export async function disappear(address: string): Promise<() => Promise<void>> {
  const table = `gone_${address.replaceAll('.', '_')}`;
  const nft = (...words: string[]): Promise<unknown> => runChecked(['nft', ...words]);
  await nft('add', 'table', 'ip', table);
  await nft('add', 'chain', 'ip', table, 'out', '{ type filter hook output priority 0; }');
  for (const side of ['daddr', 'saddr']) await nft('add', 'rule', 'ip', table, 'out', 'ip', side, address, 'drop');
  return async () => {
    await nft('delete', 'table', 'ip', table);
  };
}
