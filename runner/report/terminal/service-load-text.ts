import { inDigits, list, percent, withNoun } from '../../contract/format.ts';
import type { Note } from '../../workloads/own-data/from-server/fill.ts';
import type { Reason } from '../../workloads/own-data/from-server/make-scripts.ts';
import type { ServiceLoad, WeighedStatement } from '../../workloads/own-data/from-server/service-load.ts';

/** So many statements are listed; `--json` has all. */
const maxListed = 20;
/** Of the text of a statement, so many characters are shown. */
const maxShown = 70;

/** What became of the load of a service, in lines. */
export function serviceLoadLines({ statements, aside, covered }: ServiceLoad): string[] {
  const left = statements.filter(({ reason }) => reason !== null);
  const noted = statements.filter(({ notes }) => notes.length > 0);
  const apart = Object.entries(aside).filter(([, { calls }]) => calls > 0);
  return [
    `${coveredWords({ statements, covered })}. Each statement is its own transaction.`,
    ...(apart.length === 0
      ? []
      : [
          `Not counted: ${list(apart.map(([kind, { calls }]) => `${withNoun(calls, 'call')} ${asideWords[kind as keyof typeof aside]}`))}.`,
        ]),
    ...section('Omitted:', left, ({ text, callShare, timeShare, reason }) => [
      `${percent(callShare)} of calls, ${percent(timeShare)} of time: ${reason ? reasonWords(reason) : ''}`,
      `  ${shown(text)}`,
    ]),
    ...section('Not as on the service:', noted, ({ name, notes }) => [
      `${name ?? ''}: ${[...new Set(notes.map(noteWords))].join('; ')}`,
    ]),
  ];
}

/** Such as `38 of 41 statements, 97% of calls, 91% of time`. */
export function coveredWords({ statements, covered }: Pick<ServiceLoad, 'statements' | 'covered'>): string {
  return `${covered.statements} of ${withNoun(statements.length, 'statement')}, ${percent(covered.calls)} of calls, ${percent(covered.time)} of time`;
}

const asideWords: Readonly<Record<keyof ServiceLoad['aside'], string>> = {
  transaction: 'that begin or end transactions',
  utility: 'of other commands, such as COPY and VACUUM',
  system: 'that ask for the catalogue or the server',
};

function section(
  title: string,
  statements: readonly WeighedStatement[],
  linesOf: (one: WeighedStatement) => string[],
): string[] {
  if (statements.length === 0) return [];
  const more = statements.slice(maxListed);
  return [
    '',
    title,
    ...statements.slice(0, maxListed).flatMap((one) => linesOf(one).map((line) => `  ${line}`)),
    ...(more.length === 0 ? [] : [`  … and ${inDigits(more.length)} more (--json lists all)`]),
  ];
}

function shown(text: string | null): string {
  const line = (text ?? '').replaceAll(/\s+/g, ' ').trim();
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
}

/** Why a statement has no script, as a clause. */
export function reasonWords(reason: Reason): string {
  const at = 'parameter' in reason && reason.parameter !== null ? `$${reason.parameter}` : 'a value';
  const column = 'column' in reason && reason.column ? `${reason.column.table.name}.${reason.column.name}` : '';
  switch (reason.code) {
    case 'writes':
      return 'it writes or locks rows; add --writes';
    case 'volatile':
      return `it calls ${list(reason.functions)}, which may write; add --writes`;
    case 'no-text':
      return 'the server has lost its text';
    case 'too-many':
      return 'pgbench runs at most 128 scripts';
    case 'unknown-table':
      return `no table ${list(reason.tables)}; set the search_path of the role to that of the application`;
    case 'unparsed':
      return `PostgreSQL’s parser does not read it: ${reason.why}`;
    case 'refused':
      return `the server rejects it: ${reason.why}`;
    case 'no-statistics':
      return `no statistics of ${column}: run ANALYZE, or GRANT pg_read_all_data to the role`;
    case 'unordered-range':
      return `${at} is the end of a range of ${column}, whose type has no numbers`;
    case 'unique-value':
      return 'it inserts a key that drawn values would repeat';
    case 'pattern':
      return `${at} is a pattern for ${column}, and statistics do not say which`;
    case 'value-unknown':
      return `${at} belongs to no column, so its values are unknown`;
  }
}

/** What a script does otherwise than its source, as a clause. */
export function noteWords({ code, parameter, value }: Note): string {
  const at = parameter === null ? '' : `$${parameter}`;
  const number = value === null ? '' : inDigits(Math.round(value * 100) / 100);
  switch (code) {
    case 'unplanned':
      return 'not tried, because the role may not change the table';
    case 'limit-from-rows':
      return `LIMIT ${at} is ${number}, the mean number of rows`;
    case 'offset-zero':
      return `OFFSET ${at} is 0`;
    case 'step-one':
      return `${at} adds 1`;
    case 'result-one':
      return `${at}, a value of the result, is 1`;
    case 'few-values':
      return `${at} is one of only ${number} values, whose rows stay cached`;
    case 'range-from-rows':
      return `the range up to ${at} is as wide as ${number} rows`;
    case 'range-guessed':
      return `the range up to ${at} covers ${percent(value ?? 0)} of the column, a guess`;
    case 'open-range':
      return `the range at ${at} begins or ends anywhere in the column, a guess`;
    case 'list-length':
      return `the list ${at} has ${value === 1 ? 'one value' : `${number} values`}`;
    case 'new-values':
      return `${at} is new and random, and so in no order`;
    case 'logged':
      return `the values are those of ${withNoun(value ?? 0, 'call')} in the log`;
  }
}
