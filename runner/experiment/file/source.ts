import {
  type Document,
  isMap as isYamlMap,
  isPair,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  visit,
  type YAMLMap,
} from 'yaml';
import { UserError } from '../../contract/errors.ts';
import type { RuleProblem } from '../../contract/check.ts';
import { atOnce, type InParts } from '../../files/in-parts.ts';
import { combinedProfiles, isMap, type Origin, type Plain } from './profiles.ts';
import { nearest, type Problem } from './problems.ts';
import { countValues, isDeep, type ReadableText, readingText } from './readable-text.ts';
import { coerceKeys } from './coerce.ts';

type Path = readonly PropertyKey[];

/**
 * Keeps the numbers in pgbench's variables as they are written if JavaScript would change them: to pgbench, 1 / 2 is 0
 * and 1.0 / 2 is 0.5, and 9007199254740993 is exactly that number.
 */
function keepAsWritten({ items }: YAMLMap): void {
  for (const { value: node } of items) {
    if (!isScalar(node) || typeof node.value !== 'number' || node.source === undefined) continue;
    const isLost = /^[-+]?\d+\.\d*$/.test(node.source)
      ? Number.isInteger(node.value)
      : /^[-+]?\d+$/.test(node.source) && !Number.isSafeInteger(node.value);
    if (isLost) node.value = node.source;
  }
}

/**
 * Fifty times the size of our largest experiment. Each profile is checked separately, so a larger file would take
 * minutes.
 */
const most = { bytes: 2 ** 18, values: 5000, depth: 500 } as const;

/** The text of an experiment file, its values, and the place of each value. */
export class ExperimentSource {
  /** The values that could be read; null if there are none, or if they cannot be trusted. */
  readonly value: Plain;
  /** Syntax errors, duplicate keys, or a file that is not a map at all. */
  readonly problems: Problem[] = [];
  /** The keys at the top of the file that have lines which could not be read. */
  readonly damaged: ReadonlySet<string>;
  readonly #lines: LineCounter;
  readonly #root: Node | null;

  /** @throws {UserError} if the text is far larger than any experiment */
  static of(text: string, shownPath: string): ExperimentSource {
    return atOnce(ExperimentSource.reading(text, shownPath));
  }

  /** The same in parts. */
  static *reading(text: string, shownPath: string): InParts<ExperimentSource> {
    const bytes = Buffer.byteLength(text);
    if (bytes > most.bytes) {
      throw new UserError(
        `${shownPath} has ${shownCount(bytes / 1024)} KiB; an experiment has no more than ${most.bytes / 1024}. Name an experiment file.`,
      );
    }
    if (isDeep(text, most.depth)) {
      throw new UserError(
        `${shownPath} is nested or indented by more than ${most.depth}, which no experiment needs. Name an experiment file.`,
      );
    }
    return new ExperimentSource(yield* readingText(text), shownPath);
  }

  private constructor(readable: ReadableText, shownPath: string) {
    this.damaged = readable.damaged;
    for (const error of readable.errors) this.problems.push({ ...error, path: '' });
    this.#lines = readable.lines;
    const { document } = readable;
    this.#root = document.contents;
    const refuse = (offset: number, message: string): void => {
      const { line, col } = this.#lines.linePos(offset);
      this.problems.push({ line, column: col, path: '', message });
    };
    for (const { key, word, meant } of coerceKeys(document.contents)) {
      refuse(startOf(key), `${word}: unknown key; did you mean "${meant}"?`);
    }
    let isHostile = !readable.isWhole;
    const values = countValues(document.contents, (alias) => {
      isHostile = true;
      refuse(startOf(alias), `${alias.source} contains itself; write the value out`);
    });
    if (values > most.values) {
      throw new UserError(
        `${shownPath} holds more than ${shownCount(most.values)} keys and values, which no experiment needs; an alias counts as everything that it stands for. Name an experiment file.`,
      );
    }
    visit(document, {
      Map(_, map) {
        const visited = new Set<unknown>();
        for (const { key } of map.items) {
          if (!isScalar(key) || key.value === '<<') continue;
          if (visited.has(key.value))
            refuse(startOf(key), `Map keys must be unique: ${String(key.value)} is here twice`);
          visited.add(key.value);
        }
      },
      Pair: (_, { key, value }) => {
        if (isScalar(key) && key.value === '__proto__') {
          isHostile = true;
          refuse(startOf(key), '__proto__ cannot be a key; choose another name');
        }
        if (isScalar(key) && key.value === 'variables' && isYamlMap(value)) keepAsWritten(value);
      },
    });
    const value = isHostile ? null : this.#valueOf(document);
    this.value = isMap(value) ? value : null;
    if (this.problems.length === 0 && this.value === null) {
      refuse(0, `${shownPath} holds no experiment: expected a map of keys`);
    }
  }

  /** The values of the file. Merging something that is not a map is a problem. */
  #valueOf(document: Document): Plain {
    try {
      return document.toJS({ maxAliasCount: -1 }) as Plain;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.problems.push({ line: 1, column: 1, path: '', message: `${message}. Write the values out` });
      return null;
    }
  }

  /**
   * Finds the line that a value of the merged experiment came from: the profile's own line, the file's, that of a value
   * of its matrix, or that of `common`; if the key is missing, the line of the map that should hold it.
   */
  locate(
    problem: RuleProblem,
    { merged, profile, origins }: { merged: Plain; profile: string; origins?: ReadonlyMap<string, Origin> },
  ): Problem {
    const message = `${problem.message}${hintOf(problem)}`;
    const at = problem.named === undefined ? problem.path : pathOf(problem.named, merged, problem.path);
    const candidates = pathsInFile(at, origins)
      .flatMap((path) => candidatePaths(path, profile))
      .map((path) => ({ path, found: this.#find(path) }));
    const best = candidates.reduce((a, b) => {
      const missing = (candidate: typeof a) => candidate.path.length - candidate.found.depth;
      return missing(b) < missing(a) ? b : a;
    });
    const offset = best.found.offset ?? 0;
    const { line, col } = this.#lines.linePos(offset);
    const value = problem.showValue === false ? undefined : valueAt(merged, problem.path);
    return {
      line,
      column: col,
      path: best.path.map(String).join('.'),
      ...(value !== undefined && { value: shownValue(value) }),
      message,
    };
  }

  /** How many parts of the path exist in the file, and the offset of the last part that exists. */
  #find(path: Path): { depth: number; offset: number | null } {
    let node: unknown = this.#root;
    let offset: number | null = this.#root?.range?.[0] ?? null;
    for (const [depth, key] of path.entries()) {
      if (isYamlMap(node)) {
        // If a key is there twice, the last one counts.
        const pair = node.items.findLast((item) => isScalar(item.key) && String(item.key.value) === String(key));
        if (!isPair(pair)) return { depth, offset };
        offset = (pair.key as Node).range?.[0] ?? offset;
        node = pair.value;
      } else if (isSeq(node)) {
        const item = node.items[Number(key)] as Node | undefined;
        if (!item) return { depth, offset };
        offset = item.range?.[0] ?? offset;
        node = item;
      } else return { depth, offset };
    }
    return { depth: path.length, offset };
  }
}

function hintOf({ unknown }: RuleProblem): string {
  if (!unknown) return '';
  const { word, known, otherwise } = unknown;
  return (
    nearest(word, known, (near) => `; did you mean "${near}"?`) || (otherwise === undefined ? '' : `; ${otherwise}`)
  );
}

function startOf(node: Node): number {
  return node.range?.[0] ?? 0;
}

/** The path of a text somewhere below a path; the path itself if it is not there. */
function pathOf(text: string, merged: Plain, below: Path): Path {
  const search = (value: Plain | undefined, at: Path): Path | null => {
    if (value === text) return at;
    if (typeof value !== 'object' || value === null) return null;
    for (const [key, inner] of Object.entries(value)) {
      const found = search(inner, [...at, key]);
      if (found) return found;
    }
    return null;
  };
  return search(valueAt(merged, below), below) ?? below;
}

/**
 * The paths at which the file may have a value of a variant made by a matrix: the value of each axis, and the variant.
 */
function pathsInFile(path: Path, origins: ReadonlyMap<string, Origin> = new Map()): Path[] {
  const [first, name, ...rest] = path;
  const origin = first === 'variants' && name !== undefined ? origins.get(String(name)) : undefined;
  if (!origin) return [path];
  // A variant as a whole is what the file says, whatever the matrix adds to it.
  if (rest.length === 0) return [['variants', origin.variant]];
  const valuePaths = Object.entries(origin.values)
    .reverse()
    .map(([axis, value]): Path => ['matrix', axis, value, ...rest]);
  return [...valuePaths, ['variants', origin.variant, ...rest]];
}

/**
 * Places of the file that a value may come from, most specific first. If several exist to the same depth, the earlier
 * one wins. But a missing key belongs to the file itself.
 */
function candidatePaths(path: Path, profile: string): Path[] {
  // If several profiles set the value, the last of them counts.
  const inProfiles = (rest: Path): Path[] =>
    combinedProfiles(profile)
      .reverse()
      .map((name) => ['profiles', name, ...rest]);
  const common: Path | null = path[0] === 'variants' && path.length > 2 ? ['common', ...path.slice(2)] : null;
  return [...inProfiles(path), path, ...(common ? [...inProfiles(common), common] : [])];
}

/** The value at a path; undefined if there is none. */
export function valueAt(value: Plain | undefined, path: Path): Plain | undefined {
  let current: Plain | undefined = value;
  for (const key of path) {
    if (isMap(current)) current = current[String(key)];
    else if (Array.isArray(current)) current = current[Number(key)];
    else return undefined;
  }
  return current;
}

function shownCount(count: number): string {
  return Math.ceil(count).toLocaleString('en');
}

function shownValue(value: Plain): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
