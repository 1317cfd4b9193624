import * as z from 'zod';
import { UserError } from './errors.ts';

/** One kind of file that pgduet writes and reads back. */
export interface VersionedFile<Schema extends z.ZodType> {
  /** Value of its field `kind`. */
  kind: string;
  /** The kind in words, such as `a result of pgduet`. */
  what: string;
  /** The version that this pgduet writes and reads. */
  schemaVersion: number;
  schema: Schema;
  /** What to do about a file that is damaged or of another kind, in a sentence. */
  remedy: string;
  /** What to do about a file of an older version, in a sentence. */
  olderRemedy: string;
  /** No file of this kind is larger; a larger one would keep us busy for minutes. @default 16 MiB */
  maxBytes?: number;
}

/** What the text of a file begins with, as a part of its schema. */
export function headShape<Kind extends string, Version extends number>(head: { kind: Kind; schemaVersion: Version }) {
  return { kind: z.literal(head.kind), schemaVersion: z.literal(head.schemaVersion) };
}

const defaultMaxBytes = 16 * 2 ** 20;

/** A file of ours whose content is not what we wrote. */
export class DamagedFileError extends UserError {
  override name = 'DamagedFileError';
  /** Its path or address. */
  readonly source: string;

  constructor(source: string, what: string, options: ErrorOptions = {}) {
    super(`${source} ${what}`, { ...options, failure: 'damaged' });
    this.source = source;
  }
}

/** A file of a run that contradicts the manifest of the run. */
export class ChangedFileError extends DamagedFileError {
  override name = 'ChangedFileError';

  /** @param what happened to it, such as `was changed` */
  constructor(source: string, what: string) {
    super(source, `${what}: this contradicts SHA256SUMS. Restore the original.`);
  }
}

const headSchema = z.looseObject({ kind: z.string(), schemaVersion: z.int(), toolVersion: z.string().optional() });

/**
 * Reads one of our files. Unknown fields are ignored.
 *
 * @param source path or address, for the message
 * @throws {UserError} if it is not such a file, is damaged, or has a version that this pgduet does not read; the
 * message names `source`
 */
export function parseVersioned<Schema extends z.ZodType>(
  text: string,
  source: string,
  file: VersionedFile<Schema>,
): z.output<Schema> {
  requireSize(text, source, file);
  const value = parseJson(text, source, file.remedy);
  const head = headSchema.safeParse(value).data;
  if (head?.kind !== file.kind) throw new DamagedFileError(source, `is not ${file.what}. ${file.remedy}`);
  const { schemaVersion, toolVersion = 'of an unknown version' } = head;
  if (schemaVersion > file.schemaVersion) {
    throw new UserError(
      `${source} has schemaVersion ${schemaVersion}, written by pgduet ${toolVersion}; this one reads ${file.schemaVersion}. Update pgduet.`,
      { failure: 'other-version' },
    );
  }
  if (schemaVersion < file.schemaVersion) {
    throw new UserError(
      `${source} has schemaVersion ${schemaVersion}, written by pgduet ${toolVersion}; this one reads ${file.schemaVersion}. ${file.olderRemedy}`,
      { failure: 'other-version' },
    );
  }
  const parsed = file.schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new DamagedFileError(source, `is damaged:\n${z.prettifyError(parsed.error)}\n${file.remedy}`);
}

function requireSize(
  text: string,
  source: string,
  { what, remedy, maxBytes = defaultMaxBytes }: VersionedFile<z.ZodType>,
): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  const [found, max] = [bytes, maxBytes].map((one) => Math.ceil(one / 2 ** 20));
  throw new DamagedFileError(source, `has ${found} MiB, and ${what} has no more than ${max}. ${remedy}`);
}

/** Nothing that is measured is larger, and whatever is computed from it, such as its square, is still a number. */
export const largest = 1e100;

function parseJson(text: string, source: string, remedy: string): unknown {
  const tooLarge: string[] = [];
  const noteTooLarge = (key: string, value: unknown): unknown => {
    if (typeof value === 'number' && Math.abs(value) > largest) tooLarge.push(`${key} is ${value}`);
    return value;
  };
  let value: unknown;
  try {
    // eslint-disable-next-line no-restricted-syntax -- its caller has the schema
    value = JSON.parse(text, noteTooLarge);
  } catch (error) {
    throw new DamagedFileError(source, `is not JSON (${error instanceof Error ? error.message : ''}). ${remedy}`, {
      cause: error,
    });
  }
  const [first] = tooLarge;
  if (first === undefined) return value;
  throw new DamagedFileError(source, `is damaged: ${first}, and no value is larger than ${largest}. ${remedy}`);
}

/**
 * A time as we write it, such as 2026-11-21T06:28:18.000Z. Calculations with any other text would not produce a number.
 */
export const instantSchema = z.iso.datetime({ offset: true });
