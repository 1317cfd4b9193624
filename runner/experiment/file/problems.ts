import type { z } from 'zod';
import { distance } from 'fastest-levenshtein';
import type { RuleProblem } from '../../contract/check.ts';
import { keysAt, optionsAt, requiredBeside } from './file-schema.ts';
import { tools } from '../../workloads/every-tool.ts';

/** One problem of an experiment file, with its place. Line and column count from 1. */
export interface Problem {
  line: number;
  column: number;
  path: string;
  /** The wrong value and what would be right. */
  message: string;
}

type Issue = z.core.$ZodIssue;

/**
 * zod's issues in the words of the file.
 *
 * @param tool that the workload names
 */
export function schemaProblems(issues: readonly Issue[], tool: unknown): RuleProblem[] {
  const refused = tools.find(({ name }) => name === tool)?.refusedKeys ?? {};
  return issues.flatMap((issue) => describeIssue(issue, refused));
}

/** Why a tool's workload does not have a key, by key. */
type RefusedKeys = Readonly<Record<string, string>>;

/** All problems of a file, in the order of its lines, each once. */
export function problemsMessage(file: string, problems: readonly Problem[]): string {
  const sorted = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
  const lines = [
    ...new Set(sorted.map((p) => `  ${file}:${p.line}:${p.column}  ${p.path ? `${p.path}: ` : ''}${p.message}`)),
  ];
  return `${file} has ${lines.length === 1 ? 'a problem' : `${lines.length} problems`}:\n${lines.join('\n')}`;
}

function describeIssue(issue: Issue, refused: RefusedKeys): RuleProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(issue.path);
    const lacking = requiredBeside(issue.path, issue.keys).filter((key) => !isGiven(key, issue.input));
    if (lacking.length > 0) {
      return lacking.map((key) => ({
        path: [...issue.path, key],
        showValue: false,
        message: `missing; needed with ${issue.keys.join(', ')}`,
      }));
    }
    return issue.keys.map((key) => ({
      path: [...issue.path, key],
      showValue: false,
      message:
        (issue.path[0] === 'workload' ? refused[key] : undefined) ??
        // Some kind of thing that is allowed here has the key, but not together with the other keys given.
        (known.includes(key)
          ? 'cannot be combined with the other keys here'
          : `unknown key${nearest(key, known, (name) => `; did you mean "${name}"?`) || `; known here: ${known.join(', ')}`}`),
    }));
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
    return [{ path: issue.path, showValue: false, message: `missing; expected ${expectation(issue)}` }];
  }
  return [{ path: issue.path, message: `expected ${expectation(issue)}${suggestOption(issue)}` }];
}

/** What is wrong with the value, judged by the alternative that it is closest to. */
function describeUnion(issue: Extract<Issue, { code: 'invalid_union' }>, refused: RefusedKeys): RuleProblem[] {
  const [closest] = [...issue.errors].sort(
    (a, b) => unknownKeys(a) - unknownKeys(b) || a.length - b.length || depth(b) - depth(a),
  );
  if (!closest || closest.length === 0) {
    const options = optionsAt(issue.path);
    return [
      { path: issue.path, message: options.length > 0 ? `expected one of ${options.join(', ')}` : issue.message },
    ];
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

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_value':
      return issue.values.length === 1 ? String(issue.values[0]) : `one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `${issue.origin === 'array' ? 'a list of ' : ''}${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return `${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    case 'invalid_type':
      return `${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`;
    default:
      // Formats and refinements state in their message what they expect.
      return issue.message;
  }
}

function suggestOption(issue: Issue): string {
  if (issue.code !== 'invalid_value' || typeof issue.input !== 'string') return '';
  return nearest(issue.input, issue.values.map(String), (name) => `; did you mean "${name}"?`);
}

/** The known word that a misspelt one most likely means, put into a phrase; empty if none is near. */
export function nearest(word: string, known: readonly string[], phrase: (word: string) => string): string {
  const [best] = nearWords(word, known);
  return best === undefined ? '' : phrase(best);
}

/**
 * Known words that contain the word, or that differ from it by edits of at most about a third of its length. Nearest
 * first.
 */
export function nearWords(word: string, known: readonly string[]): string[] {
  const lower = word.toLowerCase();
  const limit = Math.min(Math.ceil(word.length / 3) + 1, word.length - 1);
  return known
    .map((candidate) => {
      const edits = distance(lower, candidate.toLowerCase());
      const contains = lower.length >= 3 && candidate.toLowerCase().includes(lower);
      return { candidate, rank: contains ? Math.min(edits, limit) : edits };
    })
    .filter(({ rank }) => rank <= limit)
    .sort((a, b) => a.rank - b.rank || (a.candidate < b.candidate ? -1 : 1))
    .map(({ candidate }) => candidate);
}
