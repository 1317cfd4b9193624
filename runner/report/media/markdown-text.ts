/** Escapes free text for Markdown: it must neither become markup nor break a table's row. */
export function escape(text: string): string {
  return text
    .replace(/[\\`*_[\]|#~]/g, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/\s+/g, ' ');
}

/** Text as it is, in lines. */
export function codeBlock(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** A sentence that names something, and the evidence for it. */
export function claim({ headline, evidence }: { headline: string; evidence: string }): string {
  return `**${escape(headline)}** ${escape(evidence)}`;
}
