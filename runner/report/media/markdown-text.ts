/** Escapes free text for Markdown: it must neither become markup nor break a table's row. */
export function escape(text: string): string {
  return text
    .replace(/[\\`*_[\]|#~]/g, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/\s+/g, ' ');
}

/** A sentence that names something, and the evidence for it. */
export function claim({ headline, evidence }: { headline: string; evidence: string }): string {
  return `**${escape(headline)}** ${escape(evidence)}`;
}
