import type { MembersTable } from '../../contract/metric.ts';
import { membersOfPair, membersTable } from '../view/members-table.ts';
import type { Table } from '../view/table.ts';
import { everywhere, inTerminal, type Medium, onFile, type Reported, type Section, tableBlock } from './section.ts';

/** A table on its own. On the page, it is folded unless it says otherwise. */
export function tableSection(
  id: string,
  shownIn: readonly Medium[],
  of: (reported: Reported) => Table,
  how: Parameters<typeof tableBlock>[1] & Pick<Section, 'depth' | 'navLabel'> = {},
): Section {
  const { depth = 'folded', navLabel, ...drawn } = how;
  return {
    id,
    shownIn,
    depth,
    ...(navLabel !== undefined && { navLabel }),
    blocks: (reported) => [tableBlock(of(reported), drawn)],
  };
}

/** Things that a server or a machine has several of, each with a row of its own. */
export function membersSection(members: MembersTable): Section {
  return {
    id: members.id,
    shownIn: members.inTerminal ? everywhere : onFile,
    depth: 'folded',
    blocks: ({ result, counted }) => {
      const table = membersTable(result, counted, members);
      const onFiles = membersOfPair(result, counted, members) ?? table;
      return [
        {
          title: members.title,
          parts: [
            { kind: 'table', table, only: inTerminal },
            { kind: 'table', table: onFiles, only: onFile },
          ],
        },
      ];
    },
  };
}
