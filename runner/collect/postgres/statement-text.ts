/** Of statements that read or change rows, the server keeps no constants. Those that end transactions have none. */
const withoutSecrets =
  /^(select|insert|update|delete|merge|with|values|table|begin|start\s+transaction|commit|end|rollback|savepoint|release)\b/i;
const leading = /^(\s+|\/\*[^]*?\*\/|--[^\n]*(\n|$)|\()+/;
/** What collectors ask, which is in no load. */
const ours = /\bpg_(stat_|postmaster_start_time|settings|extension)|\bcurrent_setting\(/i;
const mostCharacters = 300;

/**
 * Whether the statement is one of the load whose text may be shown. Others, such as ALTER ROLE, are kept by the server as they
 * were written, and may hold a password.
 */
export function isShown(text: string): boolean {
  return withoutSecrets.test(text.replace(leading, '')) && !ours.test(text);
}

/** The text in one line, shortened. */
export function shownText(text: string): string {
  const line = text
    // The server may forget a statement between reading and counting it. Then it keeps the constants.
    .replaceAll(/'(?:[^']|'')*'/g, "'…'")
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > mostCharacters ? `${line.slice(0, mostCharacters - 1)}…` : line;
}
