import { readFileSync } from 'node:fs';
import path from 'node:path';

/** What one stack of the rehearsal of bills came to. Minutes count from its first available database. */
export interface RehearsedBill {
  /** What happened to the run. */
  what: string;
  /** What ended the stack. */
  end: string;
  /** Until a person was told. */
  noticeMinutes: number;
  /** Until nothing of it was billed any more; null if a person had to do something for that. */
  goneMinutes: number | null;
  /** US dollars by the time at which it was gone, or else a person was told. */
  dollars: number;
}

const heading = '## What a stack costs when something breaks';

/** The lines of a table. @param maxDollars what a stack may cost at most */
export function tableOfBills(bills: readonly RehearsedBill[], maxDollars: number): string[] {
  const line = (...cells: string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(
      'what happens',
      'what ends the stack',
      'you know after',
      'it is gone after',
      `dollars by then, of ${maxDollars}`,
    ),
    line(...Array.from({ length: 5 }, () => '---')),
    ...bills.map(({ what, end, noticeMinutes, goneMinutes, dollars }) =>
      line(what, end, minutes(noticeMinutes), goneMinutes === null ? '–' : minutes(goneMinutes), dollars.toFixed(2)),
    ),
  ];
}

function minutes(count: number): string {
  return `${Math.ceil(count)} minutes`;
}

/** The table of docs/costs.md. */
export function documentedBills(): { bills: RehearsedBill[]; maxDollars: number } {
  const text = readFileSync(path.resolve(import.meta.dirname, '../../docs/costs.md'), 'utf8');
  const [, section = ''] = text.split(`${heading}\n`);
  const rows = (section.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const number = (cell: string): number => Number(/[\d.]+/.exec(cell)?.[0] ?? NaN);
  return {
    maxDollars: number(rows[0]?.[5] ?? ''),
    bills: rows.slice(2).map(([, what = '', end = '', reported = '', gone = '', dollars = '']) => ({
      what,
      end,
      noticeMinutes: number(reported),
      goneMinutes: gone === '–' ? null : number(gone),
      dollars: number(dollars),
    })),
  };
}
