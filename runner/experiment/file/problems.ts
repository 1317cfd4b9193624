import * as z from 'zod';
import { distance } from 'fastest-levenshtein';
import type { RuleProblem } from '../../contract/check.ts';
import { UserError } from '../../contract/errors.ts';
import { keysAt, optionsAt, requiredBeside } from './file-schema.ts';
import { tools } from '../../workloads/registry.ts';

/** One problem of an experiment file, with its place. Line and column count from 1. */
export interface Problem {
  line: number;
  column: number;
  path: string;
  /** The wrong value, as a reader sees it; absent if it explains nothing. */
  value?: string;
  /** What would be right. */
  message: string;
}

/** The mistakes of an experiment file: all of them, each with its place. */
export class ExperimentProblems extends UserError {
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    super(problemsMessage(file, problems));
    this.problems = problems;
  }
}

type Issue = z.core.$ZodIssue;

/**
 * zod's issues in the words of the file.
 *
 * @param tool that the workload names
 */
export function schemaProblems(issues: readonly Issue[], tool: unknown): RuleProblem[] {
  const refused = refusedKeysOf(tool);
  return issues.flatMap((issue) => describeIssue(issue, refused));
}

/** Why the tool's workload does not have keys that a user might expect, or that other tools have. */
function refusedKeysOf(name: unknown): RefusedKeys {
  const tool = tools.find((one) => one.name === name);
  if (!tool) return {};
  const otherToolKeys = tools.flatMap((other) =>
    Object.keys(other.schema.shape)
      .filter((key) => !(key in tool.schema.shape))
      .map((key) => [key, `a key of tool ${other.name}, but the tool here is ${tool.name}; leave it out`]),
  );
  return { ...(Object.fromEntries(otherToolKeys) as RefusedKeys), ...tool.refusedKeys };
}

/** Why a tool's workload does not have a key, by key. */
type RefusedKeys = Readonly<Record<string, string>>;

/** All problems of a file, in the order of its lines, each once. */
function problemsMessage(file: string, problems: readonly Problem[]): string {
  const sorted = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
  const lines = [
    ...new Set(
      sorted.map(
        ({ path, value, message, ...p }) =>
          `  ${file}:${p.line}:${p.column}  ${[path, value ?? '', message].filter((part) => part !== '').join(': ')}`,
      ),
    ),
  ];
  return `${file} has ${lines.length === 1 ? 'a problem' : `${lines.length} problems`}:\n${lines.join('\n')}`;
}

function describeIssue(issue: Issue, refused: RefusedKeys): RuleProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const isRefused = (key: string): boolean => issue.path[0] === 'workload' && key in refused;
    const known = keysAt(issue.path).filter((key) => !isRefused(key));
    const lacking = requiredBeside(issue.path, issue.keys).filter((key) => !isGiven(key, issue.input));
    if (lacking.length > 0) {
      return lacking.map((key) => ({
        path: [...issue.path, key],
        showValue: false,
        code: 'missing',
        message: `missing; needed with ${issue.keys.join(', ')}`,
      }));
    }
    return issue.keys.map((key): RuleProblem => {
      const path = [...issue.path, key];
      const why = isRefused(key) ? refused[key] : undefined;
      if (why !== undefined)
        return { path, showValue: false, message: why, unknown: { word: key, known: [], isKey: true } };
      // Some kind of thing that is allowed here has the key, but not together with the other keys given.
      if (known.includes(key))
        return { path, showValue: false, message: 'cannot be combined with the other keys here' };
      const isNear = nearWords(key, known).length > 0;
      const message = isNear ? 'unknown key' : `unknown key; known here: ${known.join(', ')}`;
      return { path, showValue: false, message, unknown: { word: key, known, isKey: true } };
    });
  }
  if (issue.code === 'invalid_union') return describeUnion(issue, refused);
  if (issue.code === 'invalid_key') {
    return issue.issues.map((inner) => ({
      path: issue.path,
      showValue: false,
      message: `the name must be ${inner.message}`,
    }));
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return [
      { path: issue.path, showValue: false, code: 'missing', message: `missing; expected ${expectation(issue)}` },
    ];
  }
  return [
    {
      path: issue.path,
      message: `expected ${expectation(issue)}${suggestion(issue)}`,
      ...(issue.code === 'custom' && issue.params?.['code'] === 'too-few-variants' && { code: 'too-few-variants' }),
      ...(issue.code === 'invalid_value' &&
        typeof issue.input === 'string' && { unknown: { word: issue.input, known: issue.values.map(String) } }),
    },
  ];
}

/** What a value of another form would be in that of the file; empty if that is not clear. */
function suggestion({ code, input, ...issue }: Issue): string {
  if (code === 'too_big' && typeof input === 'number' && 'maximum' in issue && issue.maximum === 1 && input <= 100)
    return `: ${input} % is ${shareOf(input)}`;
  if (code !== 'invalid_type' || typeof input !== 'string' || !('expected' in issue)) return '';
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)\s*(%|[a-z]+)$/i.exec(input) ?? [];
  if (issue.expected === 'object') return ` of ${keysAt(issue.path).join(', ')}`;
  if (!/^(number|int)$/.test(issue.expected) || digits === undefined) return '';
  if (unit === '%') return `: ${digits} % is ${shareOf(Number(digits))}`;
  const [, keyUnits] = Object.entries(unitsOfKeys).find(([ending]) => String(issue.path.at(-1)).endsWith(ending)) ?? [];
  const ratio = keyUnits?.[unit.toLowerCase()];
  return `, without a unit${ratio === undefined ? '' : `: ${Number((Number(digits) * ratio).toPrecision(12))}`}`;
}

/** How many of the unit that ends a key others are, in lower case. */
const unitsOfKeys: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  Seconds: { ms: 0.001, s: 1, sec: 1, min: 60, h: 3600 },
  Ms: { ms: 1, s: 1000 },
  Gib: { mb: 1 / 1024, mib: 1 / 1024, gb: 1, gib: 1, tb: 1024, tib: 1024 },
};

function shareOf(percent: number): number {
  return Number((percent / 100).toPrecision(12));
}

/** What is wrong with the value, judged by the alternative that it is closest to. */
function describeUnion(issue: Extract<Issue, { code: 'invalid_union' }>, refused: RefusedKeys): RuleProblem[] {
  const [closest] = [...issue.errors].sort(
    (a, b) => unknownKeys(a) - unknownKeys(b) || a.length - b.length || depth(b) - depth(a),
  );
  if (!closest || closest.length === 0) {
    const options = optionsAt(issue.path);
    const word = kindIn(issue.input, issue.path.at(-1));
    return [
      {
        path: issue.path,
        message: options.length > 0 ? `expected one of ${options.join(', ')}` : issue.message,
        ...(word !== undefined && { unknown: { word, known: options } }),
      },
    ];
  }
  // No alternative takes a value of this type or this word: each of them may have been meant.
  if (issue.errors.every((errors) => depth(errors) === 0 && unknownKeys(errors) === 0)) {
    const words = [...new Set(issue.errors.flatMap(([one]) => (one ? [expectation(one)] : [])))];
    return [{ path: issue.path, message: `expected ${words.join(' or ')}` }];
  }
  return closest.flatMap((inner) => describeIssue({ ...inner, path: [...issue.path, ...inner.path] }, refused));
}

/** The word by which a value says of which kind it is; undefined if it is too short to mean another one. */
function kindIn(input: unknown, key: PropertyKey | undefined): string | undefined {
  const shape = z.looseObject({ [String(key)]: z.string().min(4) }).safeParse(input);
  return shape.success ? z.string().parse(shape.data[String(key)]) : undefined;
}

function isGiven(key: string, input: unknown): boolean {
  return typeof input === 'object' && input !== null && key in input;
}

function unknownKeys(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0), 0);
}

function depth(issues: readonly Issue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length));
}

/** Types in the words of a YAML file. */
const typeWords: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  object: 'a map',
  record: 'a map',
  string: 'a text',
};

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_value':
      return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `${issue.origin === 'array' ? 'a list of ' : ''}${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return `${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    case 'invalid_type':
      return typeWords[issue.expected] ?? `a ${issue.expected}`;
    default:
      // Formats and refinements state in their message what they expect.
      return issue.message;
  }
}

/** The known word that a misspelt one most likely means, put into a phrase; empty if none is near. */
export function nearest(word: string, known: readonly string[], phrase: (word: string) => string): string {
  const [best] = nearWords(word, known);
  return best === undefined ? '' : phrase(best);
}

/** The one known word that a misspelt one can mean; null if none is near, or if several are equally near. */
export function meantWord(word: string, known: readonly string[]): string | null {
  const [first, second] = rankedWords(word, known);
  return first && first.rank !== second?.rank ? first.candidate : null;
}

/**
 * Known words that contain the word, that it abbreviates (`sync_commit`), or that differ from it by edits of at most
 * about a third of its length. Nearest first.
 */
export function nearWords(word: string, known: readonly string[]): string[] {
  return rankedWords(word, known).map(({ candidate }) => candidate);
}

function rankedWords(word: string, known: readonly string[]): { candidate: string; rank: number }[] {
  const lower = word.toLowerCase();
  const limit = Math.min(Math.ceil(word.length / 3) + 1, word.length - 1);
  return known
    .map((candidate) => {
      const edits = distance(lower, candidate.toLowerCase());
      const contains = lower.length >= 3 && candidate.toLowerCase().includes(lower);
      return { candidate, rank: contains || abbreviates(lower, candidate) ? Math.min(edits, limit) : edits };
    })
    .filter(({ rank }) => rank <= limit)
    .sort((a, b) => a.rank - b.rank || (a.candidate < b.candidate ? -1 : 1));
}

/** Whether each part of the word, of which there are two or more, begins the same part of the other one. */
function abbreviates(word: string, full: string): boolean {
  const [parts, fullParts] = [word.split('_'), full.toLowerCase().split('_')];
  return (
    parts.length > 1 &&
    parts.length === fullParts.length &&
    parts.every((part, index) => part.length >= 2 && fullParts[index]?.startsWith(part))
  );
}
