import { withoutStrings } from './plans.ts';

/**
 * The server keeps no constants of statements that read or change rows. Statements that control transactions have none.
 */
const withoutSecrets =
  /^(select|insert|update|delete|merge|with|values|table|begin|start\s+transaction|commit|end|rollback|savepoint|release)\b/i;
const leading = /^(\s+|\/\*[^]*?\*\/|--[^\n]*(\n|$)|\()+/;
/** Queries of collectors, which no load contains. */
const ours = /\bpg_(stat_|postmaster_start_time|settings|extension)|\bcurrent_setting\(/i;
const maxCharacters = 300;

/**
 * Whether the statement belongs to the load and its text may be shown. The server keeps other statements, such as ALTER
 * ROLE, as they were written, so they may contain a password.
 */
export function isShown(text: string): boolean {
  return withoutSecrets.test(text.replace(leading, '')) && !ours.test(text);
}

/** The text in one line, shortened. */
export function shownText(text: string): string {
  // The server may forget a statement between parsing and counting it. It then keeps the constants.
  const line = withoutStrings(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters - 1)}…` : line;
}
