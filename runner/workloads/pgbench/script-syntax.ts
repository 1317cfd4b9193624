import type { RuleProblem } from '../../contract/check.ts';
import { Expression, Refused } from './expression.ts';
import type { ScriptText } from './script-text.ts';

/** Something in a script that pgbench refuses. Line and column count from 1. */
export interface SyntaxProblem extends Pick<RuleProblem, 'message' | 'unknown'> {
  line: number;
  column: number;
}

/** What follows the name of a command: an expression, a variable with one, words up to a number, or anything. */
const commands: Readonly<Record<string, 'expression' | 'assignment' | 'sleep' | 'anything' | { most: number }>> = {
  set: 'assignment',
  if: 'expression',
  elif: 'expression',
  else: { most: 0 },
  endif: { most: 0 },
  sleep: 'sleep',
  gset: { most: 1 },
  aset: { most: 1 },
  setshell: 'anything',
  shell: 'anything',
  startpipeline: { most: 0 },
  endpipeline: { most: 0 },
  // PostgreSQL 17 and newer.
  syncpipeline: { most: 0 },
};

/**
 * The backslash commands of a script that pgbench cannot read, one problem for each. It refuses them before it connects.
 * What it would find out only while it runs, such as a division by zero, is not among them.
 */
export function syntaxProblems(text: string, parts: Pick<ScriptText, 'commands' | 'sql'>): SyntaxProblem[] {
  if (parts.commands.length === 0 && !/[^\s;]/.test(parts.sql)) {
    return [
      {
        line: 1,
        column: 1,
        message: 'the script is empty, which pgbench refuses; write a transaction, or leave it out',
      },
    ];
  }
  const found: Refused[] = [];
  /** Where each `\if` is that has not ended, and whether its `\else` was there. */
  const open: { at: number; hasElse: boolean }[] = [];
  let end = 0;
  for (const { name, at } of parts.commands) {
    // pgbench reads one command a line.
    if (at < end) continue;
    const rest = at + 1 + name.length;
    end = endOfCommand(text, rest);
    try {
      readCommand(name.toLowerCase(), text, { at, rest, end });
      followConditions(name.toLowerCase(), at, open);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      found.push(error);
    }
  }
  found.push(...open.map(({ at }) => new Refused(at, '\\if has no \\endif')));
  return found.map(({ at, message, unknown }) => {
    const lines = text.slice(0, at).split('\n');
    return { line: lines.length, column: (lines.at(-1) ?? '').length + 1, message, ...(unknown && { unknown }) };
  });
}

/** A backslash at the end of a line continues the command. */
function endOfCommand(text: string, from: number): number {
  return from + (/^(?:\\\r?\n|[^\n])*/.exec(text.slice(from))?.[0].length ?? 0);
}

function readCommand(name: string, text: string, { at, rest, end }: { at: number; rest: number; end: number }): void {
  const kind = commands[name];
  if (kind === undefined) {
    const known = Object.keys(commands);
    throw new Refused(at, `pgbench has no command \\${name}; expected one of \\${known.join(', \\')}`, {
      word: name,
      known,
    });
  }
  const line = text.slice(0, end).replaceAll(/\\(\r?\n)/g, ' $1');
  const words = line
    .slice(rest)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (kind === 'anything') return;
  if (kind === 'sleep') readSleep(words, at);
  else if (kind === 'expression') new Expression(line, rest, name).read();
  else if (kind === 'assignment') {
    const variable = /^\s*(\S+)/.exec(line.slice(rest));
    if (!variable) throw new Refused(at, '\\set needs the name of a variable and an expression, such as \\set aid 1');
    const nameAt = rest + variable[0].length - (variable[1] ?? '').length;
    if (!/^[\w\u0080-\uffff]+$/.test(variable[1] ?? '')) {
      throw new Refused(nameAt, `"${variable[1]}" is not the name of a variable: expected letters, digits and _`);
    }
    new Expression(line, rest + variable[0].length, name).read();
  } else if (words.length > kind.most) {
    throw new Refused(
      at,
      `\\${name} takes ${kind.most === 0 ? 'nothing' : 'one word'} after it; found "${words.join(' ')}"`,
    );
  }
}

function readSleep(words: readonly string[], at: number): void {
  const [amount = '', second] = words;
  const glued = amount.startsWith(':') ? '' : (/^[-+]?\d+(.*)$/.exec(amount)?.[1] ?? '');
  const unit = second ?? glued;
  if (words.length === 0 || words.length > 2) {
    throw new Refused(at, '\\sleep takes a number and a unit, such as \\sleep 10 ms');
  }
  if (unit !== '' && !/^(us|ms|s)$/i.test(unit)) {
    throw new Refused(at, `\\sleep: "${unit}" is not a unit; expected us, ms or s`);
  }
}

function followConditions(name: string, at: number, open: { at: number; hasElse: boolean }[]): void {
  if (name === 'if') open.push({ at, hasElse: false });
  if (!['elif', 'else', 'endif'].includes(name)) return;
  const last = open.at(-1);
  if (!last) throw new Refused(at, `\\${name} has no \\if before it`);
  if (name !== 'endif' && last.hasElse) throw new Refused(at, `\\${name} comes after \\else`);
  if (name === 'else') last.hasElse = true;
  if (name === 'endif') open.pop();
}
