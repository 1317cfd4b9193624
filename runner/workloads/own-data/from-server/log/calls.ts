import type { LogEntry } from './entries.ts';

/** A call of a statement, as a server has logged it. */
export interface LoggedCall {
  text: string;
  /** By number; null is NULL. Empty for a statement whose values are in its text. */
  parameters: ReadonlyMap<number, string | null>;
}

/** What `log_min_duration_statement` and `log_statement` write. A fetch has the parameters of a statement that was there before. */
const statement = /^(?:duration: [\d.]+ ms {1,2})?(?:statement|execute (?!fetch from )[^:]*): (.*)$/s;

/** The call that an entry is about; null if it is about something else, or if a value of it was cut off. */
export function callIn({ text: entry, detail }: LogEntry): LoggedCall | null {
  const text = statement.exec(entry)?.[1];
  if (text === undefined) return null;
  const parameters = parametersIn(detail);
  return parameters && { text, parameters };
}

/** Such as `Parameters: $1 = 'it''s', $2 = NULL`. */
const parameter = /\$(\d+) = (?:NULL|'((?:[^']|'')*)')(?:, |$)/gy;
const title = /^parameters: /i;
/** `log_parameter_max_length` ends a value so. */
const cut = '...';

function parametersIn(detail: string): LoggedCall['parameters'] | null {
  const found = new Map<number, string | null>();
  const begin = title.exec(detail)?.[0].length;
  if (begin === undefined) return found;
  const list = detail.slice(begin);
  let read = 0;
  for (const [all, number, value] of list.matchAll(parameter)) {
    if (value?.endsWith(cut)) return null;
    found.set(Number(number), value?.replaceAll("''", "'") ?? null);
    read += all.length;
  }
  return read === list.length ? found : null;
}
