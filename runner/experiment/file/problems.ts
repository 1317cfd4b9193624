import * as z from 'zod';
import { type ProblemCode, problemCodes, type RuleProblem } from '../../contract/check.ts';
import type { RuleId } from '../../contract/problem-rules.ts';
import { UserError } from '../../contract/errors.ts';
import { keysAt, mapsWith, optionsAt, requiredBeside } from './file-schema.ts';
import { isSlipOf, nearWords } from './near-words.ts';
import type { Plain } from './profiles.ts';
import { tools } from '../../workloads/registry.ts';

interface Position {
  /** Line and column count from 1. */
  line: number;
  column: number;
  /** Keys with dots between them. */
  path: string;
}

/** One problem of an experiment file, with its place. */
export interface Problem extends Position {
  code: ProblemCode;
  /** The rule that it breaks (contract/problem-rules.ts); absent if the form of the file is wrong. */
  rule?: RuleId;
  /** The wrong value, as a reader sees it; absent if it explains nothing. */
  value?: string;
  /** The words of which one may have been meant. */
  allowed?: readonly string[];
  /** What is wrong, and what would be right. */
  message: string;
}

/** The mistakes of an experiment file: all of them, each with its place. */
export class ExperimentProblems extends UserError {
  readonly problems: readonly Problem[];

  constructor(file: string, problems: readonly Problem[]) {
    super(problemLines(file, problems), { failure: 'experiment-file' });
    this.problems = problems;
  }
}

/** A problem with its place. All words about a word that was meant are made here. */
export function problemAt(
  place: Position,
  { code = 'wrong-value', message, ...problem }: RuleProblem,
  value: Plain | undefined,
): Problem {
  const isShown = problemCodes[code] && value !== undefined;
  return {
    code,
    ...(problem.rule && { rule: problem.rule }),
    ...place,
    ...(isShown && { value: shownValue(value) }),
    ...(problem.allowed && { allowed: problem.allowed }),
    message: `${message}${hintOf(wordOf({ code, ...problem }, value), { code, ...problem })}`,
  };
}

/** The word that is none of those allowed; null if the problem is none of words. */
export function wordOf({ code, path, allowed }: Omit<RuleProblem, 'message'>, value: Plain | undefined): string | null {
  if (!allowed) return null;
  if (code === 'unknown-key' || code === 'unknown-parameter') return String(path.at(-1));
  return typeof value === 'string' ? value : null;
}

function hintOf(word: string | null, { code, path, allowed = [] }: Omit<RuleProblem, 'message'>): string {
  const [meant] = word === null ? [] : nearWords(word, allowed);
  const didYouMean = meant === undefined ? '' : `; did you mean "${meant}"?`;
  if (code !== 'unknown-key' || word === null) return didYouMean || (code === 'unknown-parameter' ? '; omit it' : '');
  if (meant !== undefined && isSlipOf(word, meant)) return didYouMean;
  return homeOf(word, path) || didYouMean || `; known here: ${allowed.join(', ')}`;
}

/** Where a key belongs that is known elsewhere in the file; empty if nowhere, or in too many places to say. */
function homeOf(key: string, path: RuleProblem['path']): string {
  const isOfVariant = path[0] === 'variants';
  const places = mapsWith(key).map((map) => (isOfVariant ? map.replace(/^common\./, '') : map));
  if (places.length === 0 || places.length > 2) return '';
  return `; it belongs ${places.map((place) => (place === '' ? 'at the top of the file' : `in ${place}`)).join(' or ')}`;
}

function shownValue(value: Plain): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/**
 * The problems without those that may come of a misspelt key: what it was to bring is not missing, neither in the map
 * that has it nor below.
 */
export function withoutConsequences(problems: readonly RuleProblem[]): RuleProblem[] {
  const holders = problems
    .filter(
      ({ code, path, allowed = [] }) => code === 'unknown-key' && nearWords(String(path.at(-1)), allowed).length > 0,
    )
    .map(({ path }) => path.slice(0, -1));
  const isBelow = (path: RuleProblem['path']): boolean =>
    holders.some((holder) => holder.every((key, depth) => String(key) === String(path[depth])));
  return problems.filter(({ code, path }) => code !== 'missing' || !isBelow(path));
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
  const ownKeys = Object.keys(tool.schema.shape);
  const otherToolKeys = tools.flatMap((other) =>
    Object.keys(other.schema.shape)
      .filter((key) => !ownKeys.includes(key))
      .map((key) => {
        const isSlip = ownKeys.some((own) => isSlipOf(key, own));
        return [key, isSlip ? null : `a key of tool ${other.name}, but the tool here is ${tool.name}; omit it`];
      }),
  );
  return { ...(Object.fromEntries(otherToolKeys) as RefusedKeys), ...tool.refusedKeys };
}

/** Why a tool's workload does not have a key, by key; null if the key is rather a slip for one that it has. */
type RefusedKeys = Readonly<Record<string, string | null>>;

/** All problems of a file, in the order of its lines, each once. */
function problemLines(file: string, problems: readonly Problem[]): string[] {
  const sorted = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
  const lines = [
    ...new Set(
      sorted.map(
        ({ path, value, message, ...p }) =>
          `  ${file}:${p.line}:${p.column}  ${[path, value ?? '', message].filter((part) => part !== '').join(': ')}`,
      ),
    ),
  ];
  return [`${file} has ${lines.length === 1 ? 'a problem' : `${lines.length} problems`}:`, ...lines];
}

function describeIssue(issue: Issue, refused: RefusedKeys): RuleProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const isRefused = (key: string): boolean => issue.path[0] === 'workload' && Object.hasOwn(refused, key);
    const known = keysAt(issue.path).filter((key) => !isRefused(key));
    // Keys of another tool are no sign of a kind that lacks something.
    const kind = issue.keys.some(isRefused) ? [] : requiredBeside(issue.path, issue.keys);
    const lacking = kind.filter((key) => !isGiven(key, issue.input));
    if (lacking.length > 0) {
      return lacking.map((key) => missing([...issue.path, key], `needed with ${issue.keys.join(', ')}`));
    }
    return issue.keys.map((key): RuleProblem => {
      const path = [...issue.path, key];
      const why = isRefused(key) ? refused[key] : null;
      if (why) return { code: 'wrong-key', path, message: why };
      // Some kind of thing that is allowed here has the key, but not together with the other keys given.
      return known.includes(key)
        ? { code: 'wrong-key', path, message: 'cannot be combined with the other keys here' }
        : { code: 'unknown-key', path, message: 'unknown key', allowed: known };
    });
  }
  if (issue.code === 'invalid_union') return describeUnion(issue, refused);
  const { path } = issue;
  if (issue.code === 'invalid_key') {
    return issue.issues.map((inner) => ({ code: 'wrong-key', path, message: `the name must be ${inner.message}` }));
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return [missing(path, `expected ${expectation(issue)}`)];
  }
  const allowed = issue.code === 'invalid_value' ? issue.values.map(String) : undefined;
  return [{ path, message: `expected ${expectation(issue)}${suggestion(issue)}`, ...(allowed && { allowed }) }];
}

function missing(path: RuleProblem['path'], why: string): RuleProblem {
  return { code: 'missing', path, message: `missing; ${why}` };
}

/** What a value of another form would be in that of the file; empty if that is not clear. */
function suggestion({ code, input, ...issue }: Issue): string {
  if (code === 'too_big' && typeof input === 'number' && 'maximum' in issue && issue.maximum === 1 && input <= 100)
    return `: ${input}% is ${shareOf(input)}`;
  if (code !== 'invalid_type' || typeof input !== 'string' || !('expected' in issue)) return '';
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)\s*(%|[a-z]+)$/i.exec(input) ?? [];
  if (issue.expected === 'object') return ` of ${keysAt(issue.path).join(', ')}`;
  if (!/^(number|int)$/.test(issue.expected) || digits === undefined) return '';
  if (unit === '%') return `: ${digits}% is ${shareOf(Number(digits))}`;
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
    const allowed = optionsAt(issue.path);
    const message = allowed.length > 0 ? `expected one of ${allowed.join(', ')}` : issue.message;
    const isLacking = !isGiven(String(issue.path.at(-1)), issue.input);
    return isLacking ? [missing(issue.path, message)] : [{ path: issue.path, message, allowed }];
  }
  // No alternative takes a value of this type or this word: each of them may have been meant.
  if (issue.errors.every((errors) => depth(errors) === 0 && unknownKeys(errors) === 0)) {
    const words = [...new Set(issue.errors.flatMap(([one]) => (one ? [expectation(one)] : [])))];
    const message = `expected ${words.join(' or ')}`;
    return [issue.input === undefined ? missing(issue.path, message) : { path: issue.path, message }];
  }
  return closest.flatMap((inner) => describeIssue({ ...inner, path: [...issue.path, ...inner.path] }, refused));
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
  string: 'a string',
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
