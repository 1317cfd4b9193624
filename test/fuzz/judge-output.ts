import { canStandTogether } from './judge-figures.ts';

/**
 * Another reading of outputs, by comparison with recorded ones. A summary is undamaged if its lines without their numbers
 * are those of a recorded summary, in their order, and its numbers can stand together. So a mutation that only changes digits
 * of which nothing else tells, or that takes away lines in such a way that what stays is what pgbench prints after another
 * run, cannot be seen. Text outside of summaries may be anything.
 */
export class OutputJudge {
  #heads = new Set<string>();
  #sections = new Set<string>();

  constructor(recorded: readonly string[]) {
    for (const { head, sections } of recorded.flatMap(summariesOf)) {
      this.#heads.add(shape(head));
      if (canBeUnlimited(head)) this.#heads.add(shape(head.filter((line) => !line.startsWith(tries))));
      for (const section of sections) this.#sections.add(shape(section));
    }
  }

  /** What is wrong with runs that were read from this text; null if nothing. */
  object(text: string, runs: readonly ReadRun[]): string | null {
    const summaries = summariesOf(text);
    if (runs.length < summaries.length) return `${runs.length} runs of ${summaries.length} summaries`;
    const good = summaries.filter((summary) => this.#isUndamaged(summary)).map(({ head }) => figures(head));
    for (const run of runs.filter(({ complete }) => complete)) {
      const at = good.indexOf(figures(asLines(run)));
      if (at < 0) return `a run is called complete that no undamaged summary tells: ${JSON.stringify(run)}`;
      good.splice(at, 1);
    }
    return null;
  }

  #isUndamaged({ head, sections }: SummaryText): boolean {
    const perClient = head.some((line) => line.startsWith('number of transactions per client: '));
    const outOfAll = head.some((line) => /^number of transactions actually processed: \d+\/\d+$/.test(line));
    return (
      perClient === outOfAll &&
      // Whatever is printed of one script is printed of several; only these have sections.
      head.includes('transaction type: multiple scripts') === sections.length > 1 &&
      this.#heads.has(shape(head)) &&
      sections.every((section) => this.#sections.has(shape(section))) &&
      canStandTogether(head, sections)
    );
  }
}

const tries = 'maximum number of tries: ';

/** Whether the same could be printed of a run that may try again without a limit, of which nothing is said. */
function canBeUnlimited(head: readonly string[]): boolean {
  const has = (start: string): boolean => head.some((line) => line.startsWith(start));
  return has('total number of retries: ') && (has('duration: ') || has('number of transactions above the '));
}

export interface ReadRun {
  complete: boolean;
  clients: number | null;
  scale: number | null;
  transactions: number | null;
  failedTransactions: number | null;
  skippedTransactions: number | null;
  durationSeconds: number | null;
  tps: number | null;
}

interface SummaryText {
  head: string[];
  sections: string[][];
}

function summariesOf(text: string): SummaryText[] {
  const summaries: string[][] = [];
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n?|\n/)) {
    // What another run begins with, also if its own summary cannot be found.
    if (/^(transaction type: |pgbench \(|progress: |starting vacuum|(pgbench: error: )?client \d+ )/.test(line))
      summaries.push([]);
    summaries.at(-1)?.push(line.trimEnd());
  }
  return summaries
    .filter(([first]) => first?.startsWith('transaction type: '))
    .map((lines) => {
      const all = lines.flatMap((line, at) => (/^SQL script \d+: /.test(line) ? [at] : []));
      // What repeats a number, or is behind the summary of one script, is of another run. So is what is behind its end.
      const otherRun = all.findIndex((at, index) => !lines[at]?.startsWith(`SQL script ${index + 1}: `));
      const hasSeveral = lines[0] === 'transaction type: multiple scripts';
      const titles = hasSeveral ? all.slice(0, otherRun < 0 ? undefined : otherRun) : [];
      const runLines = lines.slice(0, all[0]);
      const end = runLines.findIndex((line) => /^tps = \S+ \((excluding|without|including reconnection)/.test(line));
      const speed = end >= 0 ? end : runLines.findLastIndex((line) => line.startsWith('tps = '));
      const sections = titles.map((title, index) => {
        const section = lines.slice(title + 1, titles[index + 1]);
        const last = section.findIndex(
          (line) => line !== '' && (!line.startsWith(' - ') || line.startsWith(' - statement')),
        );
        return last < 0 ? section : section.slice(0, last);
      });
      return { head: runLines.slice(0, speed + 1), sections };
    });
}

function shape(lines: readonly string[]): string {
  const shapes = lines
    .filter((line) => line !== '')
    .map((line) =>
      line
        .replace(/^query mode: (simple|extended|prepared)$/, 'a mode')
        // Of nothing, a share is no number. Versions differ in the space; what is rounded is judged with the figures.
        .replace(/(\((?:targets )?)(\d+(\.\d+)?|-?NaN|-?nan) ?%/, '$1a share')
        .replace(/\d+(\.\d+)?( ms| \(max)/g, 'a time$2')
        .replace(/\(max \d+(\.\d+)?\) ms/, '(max a time)')
        .replace(/tps = \d+(\.\d+)?/, 'a speed')
        // A run is limited by time or by transactions.
        .replace(/^(number of transactions per client: \d+|duration: \d+ s)$/, 'a limit')
        .replace(/^(number of transactions actually processed: \d+)\/\d+$/, '$1')
        .replace(/^transaction type: .*/, 'a type')
        .replace(/\d+(\.\d+)?/g, (number, decimals?: string) =>
          Number(number) > Number.MAX_SAFE_INTEGER ? 'too large' : `#${decimals?.length ?? ''}`,
        ),
    );
  return shapes.join('\n');
}

/** The figures in both readings, as text that can be compared. */
function figures(head: readonly string[]): string {
  const find = (pattern: RegExp): number | null => {
    const found = head.map((line) => pattern.exec(line)?.[1]).find((text) => text !== undefined);
    return found === undefined ? null : Number(found);
  };
  return JSON.stringify([
    find(/^scaling factor: (\d+)$/),
    find(/^number of clients: (\d+)$/),
    find(/^number of transactions actually processed: (\d+)/),
    find(/^number of failed transactions: (\d+)/),
    find(/^number of transactions skipped: (\d+)/),
    find(/^duration: (\d+) s$/),
    find(/^tps = (\S+) \((?:excluding|without|including reconn)/),
  ]);
}

function asLines(run: ReadRun): string[] {
  const line = (text: (value: number) => string, value: number | null): string[] =>
    value === null ? [] : [text(value)];
  return [
    ...line((value) => `scaling factor: ${value}`, run.scale),
    ...line((value) => `number of clients: ${value}`, run.clients),
    ...line((value) => `number of transactions actually processed: ${value}`, run.transactions),
    ...line((value) => `number of failed transactions: ${value}`, run.failedTransactions),
    ...line((value) => `number of transactions skipped: ${value}`, run.skippedTransactions),
    ...line((value) => `duration: ${value} s`, run.durationSeconds),
    ...line((value) => `tps = ${value} (without`, run.tps),
  ];
}
