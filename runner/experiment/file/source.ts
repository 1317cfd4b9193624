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
import type { Origin } from './matrix.ts';
import { combinedProfiles, isMap, type Plain, valueAt } from './profiles.ts';
import { type Problem, problemAt } from './problems.ts';
import { countValues, isDeep, parseYaml } from './yaml.ts';

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
const limits = { bytes: 2 ** 18, values: 5000, depth: 500 } as const;

/** The text of an experiment file, its values, and the place of each value. */
export class ExperimentSource {
  /** null if there are none, or if they cannot be trusted, as in a file that is no YAML. */
  readonly value: Plain;
  /** Syntax errors, duplicate keys, or a file that is not a map at all. */
  readonly problems: Problem[] = [];
  readonly #lines: LineCounter;
  readonly #root: Node | null;

  /** @throws {UserError} if the text is far larger than any experiment */
  constructor(text: string, shownPath: string) {
    const refuse = (what: string): never => {
      throw new UserError(`${shownPath} ${what}. Name an experiment file.`);
    };
    const kibibytes = Buffer.byteLength(text) / 1024;
    if (kibibytes > limits.bytes / 1024) {
      refuse(`has ${shownCount(kibibytes)} KiB; an experiment has no more than ${limits.bytes / 1024}`);
    }
    if (isDeep(text, limits.depth)) {
      refuse(`is nested or indented deeper than ${limits.depth}, which no experiment needs`);
    }
    const { document, lines, mistakes } = parseYaml(text);
    this.#lines = lines;
    this.#root = document.contents;
    for (const { offset, message } of mistakes) this.#add(offset, message);
    let isHostile = mistakes.length > 0;
    const values = countValues(document.contents, (alias) => {
      isHostile = true;
      this.#add(startOf(alias), `${alias.source} refers to itself; write the value in full`);
    });
    if (values > limits.values) {
      refuse(
        `contains more than ${shownCount(limits.values)} keys and values, which no experiment needs; an alias counts as everything that it refers to`,
      );
    }
    visit(document, {
      Map: (_, map) => {
        const visited = new Set<unknown>();
        for (const { key } of map.items) {
          if (!isScalar(key) || key.value === '<<') continue;
          if (visited.has(key.value)) this.#add(startOf(key), `duplicate key: ${String(key.value)}`);
          visited.add(key.value);
        }
      },
      Pair: (_, { key, value }) => {
        if (isScalar(key) && key.value === '__proto__') {
          isHostile = true;
          this.#add(startOf(key), '__proto__ cannot be a key; choose another name');
        }
        if (isScalar(key) && key.value === 'variables' && isYamlMap(value)) keepAsWritten(value);
      },
    });
    const value = isHostile ? null : this.#valueOf(document);
    this.value = isMap(value) ? value : null;
    if (this.problems.length === 0 && this.value === null) {
      this.#add(0, `${shownPath} contains no experiment: expected a map of keys`);
    }
  }

  #add(offset: number, message: string): void {
    const { line, col } = this.#lines.linePos(offset);
    this.problems.push({ code: 'syntax', line, column: col, path: '', message });
  }

  /** The values of the file. Merging something that is not a map is a problem. */
  #valueOf(document: Document): Plain {
    try {
      return document.toJS({ maxAliasCount: -1 }) as Plain;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#add(0, `${message}. Write the values in full`);
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
    const path = best.path.map(String).join('.');
    return problemAt({ line, column: col, path }, problem, valueAt(merged, problem.path));
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

function shownCount(count: number): string {
  return Math.ceil(count).toLocaleString('en');
}
