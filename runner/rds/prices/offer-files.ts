import { failureOf, UserError, whyFailed } from '../../contract/errors.ts';
import type { PriceEntry } from './kept-prices.ts';
import { type OfferHead, type OfferRow, normalized, onDemandRows } from './offer-rows.ts';
import type { PriceOrigin } from './price.ts';
import { includePrice } from './price-list.ts';
import { attributeNames, type PriceListQuery, regionQueries } from './price-list-queries.ts';

/** Where AWS publishes its price list as files, for anybody, without credentials. */
export const offersAddress = 'https://pricing.us-east-1.amazonaws.com';

/** A file of EC2 has some hundreds of megabytes. */
const patienceMilliseconds = 30 * 60_000;

export interface OfferQuestion {
  /** @default AWS's */
  address: string;
  /** Reports which file is being read. */
  say: (line: string) => void;
  signal: AbortSignal;
}

/**
 * The prices of everything that this project can deploy in a Region, from the files that AWS publishes. Each file is read
 * once and kept nowhere.
 *
 * @throws {UserError} if AWS publishes nothing for the Region, or a file cannot be read
 */
export async function readOfferFiles(region: string, question: OfferQuestion): Promise<PriceEntry[]> {
  const queries = regionQueries(region).map((query) => ({
    ...query,
    wanted: Object.entries(query.attributes).map(([name, value]) => [normalized(name), value] as const),
  }));
  const services = [...new Set(queries.map(({ serviceCode }) => serviceCode))];
  const found = new Map<string, PriceEntry>();
  for (const service of services) {
    const url = `${question.address}/offers/v1.0/aws/${service}/current/${region}/index.csv`;
    question.say(`Reading ${url}, which may be hundreds of megabytes long.`);
    const serviceQueries = queries.filter(({ serviceCode }) => serviceCode === service);
    const signal = AbortSignal.any([question.signal, AbortSignal.timeout(patienceMilliseconds)]);
    try {
      await readOfferFile(url, { service, region, queries: serviceQueries, signal }, found);
    } catch (error) {
      question.signal.throwIfAborted();
      if (error instanceof UserError) throw error;
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      const code = failureOf(cause);
      throw new UserError(`Could not read ${url}: ${whyFailed(cause)}. Check the connection, then retry.`, {
        cause,
        isTransient: true,
        failure: code === 'other' ? 'connection-lost' : code,
      });
    }
  }
  return [...found.values()];
}

/** A query with its attributes as columns of a file. */
type FileQuery = PriceListQuery & { wanted: readonly (readonly [column: string, value: string])[] };

/** The columns of the attributes by which a product is identified. */
const identifying = attributeNames.map((name) => [name, normalized(name)] as const);

interface OfferFile {
  service: string;
  region: string;
  queries: readonly FileQuery[];
  signal: AbortSignal;
}

async function readOfferFile(
  url: string,
  { service, region, queries, signal }: OfferFile,
  found: Map<string, PriceEntry>,
): Promise<void> {
  const response = await fetch(url, { signal });
  // S3 answers so for a file that does not exist.
  if (response.status === 403 || response.status === 404) {
    throw new UserError(`AWS publishes no prices of ${service} for the Region "${region}" (${url}). Check the name.`);
  }
  if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
  const head: OfferHead = { published: null, columns: null };
  for await (const row of onDemandRows(response.body, head)) {
    const origin = originOf(url, head);
    for (const query of queries) includeRow(found, row, query, origin);
  }
  const missing = requiredColumns.filter((column) => head.columns?.includes(column) !== true);
  if (missing.length > 0) {
    throw new UserError(`${url} is not in the format that pgduet reads: it has no column ${missing.join(', ')}.`);
  }
}

const requiredColumns = ['termtype', 'unit', 'priceperunit', 'currency', 'regioncode', 'usagetype'];

function originOf(url: string, { published }: OfferHead): PriceOrigin {
  if (published === null) throw new UserError(`${url} is not in the format that pgduet reads: it has no date.`);
  return { words: 'AWS’s price list, as published for anybody', url, date: published };
}

function includeRow(found: Map<string, PriceEntry>, row: OfferRow, query: FileQuery, origin: PriceOrigin): void {
  const isWanted = query.wanted.every(([column, value]) => row.get(column) === value);
  if (!isWanted || row.get('unit') !== query.unit || row.get('currency') !== 'USD') return;
  const attributes = identifying.flatMap(([name, column]): [string, string][] => {
    const value = row.get(column);
    return value === undefined ? [] : [[name, value]];
  });
  const priced = query.identify(Object.fromEntries(attributes));
  const dollars = Number(row.get('priceperunit'));
  if (priced !== null) includePrice(found, { priced, dollars, per: query.per, origin });
}
