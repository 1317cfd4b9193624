/** One row of an offer file: a price of a product, with the product's attributes. */
export interface OfferRow {
  /** @param column normalized. @returns undefined where the product has no such attribute */
  get(column: string): string | undefined;
}

/** What an offer file begins with, before its rows. */
export interface OfferHead {
  /** ISO date on which AWS published it; null before that line is read. */
  published: string | null;
  /** Names of the columns, normalized; null before that line is read. */
  columns: readonly string[] | null;
}

/**
 * The rows of prices on demand in an offer file of AWS's price list: CSV, with five lines of pairs such as
 * `"Publication Date","2026-11-20T18:12:54Z"` before the line with the columns.
 *
 * @param chunks of the file, in UTF-8
 * @param head is filled in before the first row arrives
 *
 * @see https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/bulk-api-reading-price-list-files.html
 */
export async function* onDemandRows(chunks: AsyncIterable<Uint8Array>, head: OfferHead): AsyncGenerator<OfferRow> {
  let begun = '';
  let columns = new Map<string, number>();
  for await (const lines of linesOf(chunks)) {
    for (const line of lines) {
      const text = begun + line;
      // A quoted value may contain the end of a line.
      begun = endsInQuotes(text) ? `${text}\n` : '';
      if (begun !== '') continue;
      if (head.columns === null) {
        readHead(text, head);
        columns = indexes(head);
        continue;
      }
      // Most rows are of reservations, so the rest of them is not split.
      const term = columns.get('termtype') ?? 0;
      if (fieldsOf(text, term + 1)[term] !== 'OnDemand') continue;
      const fields = fieldsOf(text);
      yield { get: (column) => fields[columns.get(column) ?? -1] || undefined };
    }
  }
}

/** The name of a column as the attribute of a product has it, but in lower case: `Pre Installed S/W` is preInstalledSw. */
export function normalized(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function indexes({ columns }: OfferHead): Map<string, number> {
  return new Map(columns?.map((column, index) => [column, index]));
}

function readHead(line: string, head: OfferHead): void {
  const [first = '', second = '', ...others] = fieldsOf(line);
  if (first === 'SKU') head.columns = [first, second, ...others].map(normalized);
  else if (normalized(first) === 'publicationdate') head.published = second.slice(0, 10);
}

/** The fields of a line of CSV (RFC 4180). @param wanted how many of them */
export function fieldsOf(line: string, wanted = Infinity): string[] {
  const fields: string[] = [];
  for (let at = 0; at <= line.length && fields.length < wanted; at += 1) {
    if (line[at] === '"') {
      let end = line.indexOf('"', at + 1);
      while (end >= 0 && line[end + 1] === '"') end = line.indexOf('"', end + 2);
      const close = end < 0 ? line.length : end;
      fields.push(line.slice(at + 1, close).replaceAll('""', '"'));
      at = close + 1;
    } else {
      const comma = line.indexOf(',', at);
      const end = comma < 0 ? line.length : comma;
      fields.push(line.slice(at, end));
      at = end;
    }
  }
  return fields;
}

function endsInQuotes(text: string): boolean {
  let quotes = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) quotes += 1;
  return quotes % 2 === 1;
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield lines.map(withoutReturn);
  }
  yield rest === '' ? [] : [withoutReturn(rest)];
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
