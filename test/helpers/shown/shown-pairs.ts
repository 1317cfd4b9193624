import type { Comparison } from '../../../runner/contract/comparison.ts';

/** One pair as a reader sees it. Values are there only if a table shows them. */
export interface ShownPair {
  blocks: number[];
  attempts: number[];
  values?: [baseline: string, candidate: string];
  change: string;
}

type Pair = Comparison['pairs'][number];

/** How a pair of throughputs must be shown. It is formatted here, so that no report is compared with itself. */
export function asShown({ block, attempt, blocks, attempts, baseline, candidate, change }: Pair): ShownPair {
  const percent = (change ?? NaN) * 100;
  const sign = percent > 0 ? '+' : '−';
  return {
    blocks: blocks ?? [block ?? NaN],
    attempts: attempts ?? [attempt ?? NaN],
    values: [whole(baseline), whole(candidate)],
    change: `${sign}${Math.abs(percent).toFixed(1)}%`,
  };
}

export function withoutValues({ values: _, ...pair }: ShownPair): ShownPair {
  return pair;
}

/** Pairs in "Changes by block: 1 +31.0%, 2 (attempt 2) +28.4% against a.", for each comparison in order. */
export function pairsInTerminal(text: string): ShownPair[][] {
  const words = text.replaceAll(/\s+/g, ' ');
  return [...words.matchAll(/Changes by block[^:]*: (.*?) against /g)].map(([, list = '']) =>
    list.split(', ').map((entry) => {
      const [, names = '', change = ''] = /^(.*) (\S+%)$/.exec(entry) ?? [];
      return { ...blocksIn(names), change };
    }),
  );
}

/** Pairs in the tables "Blocks compared". */
export function pairsInMarkdown(text: string): ShownPair[][] {
  return text
    .split('<details><summary>')
    .filter((section) => section.startsWith('Blocks compared'))
    .map((section) => {
      const [head, , ...body] = section.split('\n').filter((line) => line.startsWith('|'));
      const cellsOf = (line = ''): string[] => line.split('|').slice(1, -1);
      return pairsInTable([cellsOf(head), ...body.map(cellsOf)]);
    });
}

/** Pairs in the tables "Blocks compared". */
export function pairsInHtml(page: string): ShownPair[][] {
  const inside = (text: string, tag: string): string[] =>
    [...text.matchAll(new RegExp(`<(?:${tag})[ >].*?</(?:${tag})>`, 'gs'))].map(([element]) => element);
  return inside(page, 'table')
    .filter((table) => /aria-labelledby="pairs(-\d+)?-title"/.test(table))
    .map((table) =>
      pairsInTable(
        inside(table, 'tr').map((row) => inside(row, 'th|td').map((cell) => cell.replaceAll(/<.*?>/gs, ''))),
      ),
    );
}

/** Pairs in the rows of a table with its head; a block that was measured again has its attempt in brackets. */
function pairsInTable([, ...rows]: string[][]): ShownPair[] {
  return rows.map((row) => {
    const [name = '', baseline = '', candidate = '', change = ''] = row.map((cell) =>
      cell.replaceAll(/\s+/g, ' ').trim(),
    );
    return { ...blocksIn(name), values: [baseline, candidate], change };
  });
}

/** Such as `3 (attempt 2) and 9`. */
function blocksIn(name: string): Pick<ShownPair, 'blocks' | 'attempts'> {
  const parts = name.split(' and ').map((part) => /^(\d+)(?: \(attempt (\d+)\))?$/.exec(part));
  return { blocks: parts.map((part) => Number(part?.[1])), attempts: parts.map((part) => Number(part?.[2] ?? 1)) };
}

/** The pairs of pairs.csv, not rounded, by `metric candidate against baseline`. No cell of a sample is quoted. */
export function pairsInCsv(text: string): Map<string, Pair[]> {
  const [head = [], ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const found = new Map<string, Pair[]>();
  for (const row of rows) {
    const cell = (name: string): string => row[head.indexOf(name)] ?? '';
    const number = (name: string): number => (cell(name) === '' ? NaN : Number(cell(name)));
    const change = cell('change') === '' ? null : number('change');
    const values = {
      ...(cell('exchange') === '' ? {} : { exchange: number('exchange') }),
      baseline: number('baseline'),
      candidate: number('candidate'),
      change,
    };
    const [blocks, attempts] = ['blocks', 'attempts'].map((name) => cell(name).split(' ').map(Number)) as [
      number[],
      number[],
    ];
    const [block, attempt] = [blocks[0] ?? NaN, attempts[0] ?? NaN];
    const pair: Pair = blocks.length === 1 ? { block, attempt, ...values } : { blocks, attempts, ...values };
    const name = `${cell('metric')} ${cell('candidate_variant')} against ${cell('baseline_variant')}`;
    found.set(name, [...(found.get(name) ?? []), pair]);
  }
  return found;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
