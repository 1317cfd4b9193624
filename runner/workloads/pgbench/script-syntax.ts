import type { RuleProblem } from '../../contract/check.ts';
import { Expression, Refused, shown } from './expression.ts';
import { placesIn, type ScriptText } from './script-text.ts';

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
    if (found.length === mostProblems) break;
    // pgbench reads one command a line.
    if (at < end) continue;
    end = endOfCommand(text, at + 1 + name.length);
    try {
      readCommand(name, text.slice(at, end));
      followConditions(name.toLowerCase(), open, at);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      found.push(new Refused(at + error.at, error.message, error.unknown));
    }
  }
  if (found.length < mostProblems) {
    found.push(...open.slice(0, mostProblems).map(({ at }) => new Refused(at, '\\if has no \\endif')));
  }
  const placeOf = placesIn(text);
  return found
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, message, unknown }) => ({ ...placeOf(at), message, ...(unknown && { unknown }) }));
}

/** Who has corrected these sees the next ones. */
const mostProblems = 100;

/** As many words after a command as a message shows. */
const mostWords = 20;

/** Characters of a command that people write. */
const mostOfCommand = 2 ** 16;

/** A backslash at the end of a line continues the command. */
function endOfCommand(text: string, from: number): number {
  for (let end = text.indexOf('\n', from); end >= 0; end = text.indexOf('\n', end + 1)) {
    const before = text[end - 1] === '\r' ? end - 2 : end - 1;
    if (before < from || text[before] !== '\\') return end;
  }
  return text.length;
}

/** @param command with what follows its name @throws {Refused} with an offset in it */
function readCommand(as: string, command: string): void {
  const name = as.toLowerCase();
  const kind = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (kind === undefined) {
    const known = Object.keys(commands);
    throw new Refused(0, `pgbench has no command \\${shown(name)}; expected one of \\${known.join(', \\')}`, {
      word: shown(name),
      known,
    });
  }
  // pgbench reads what is longer in a moment, before anything starts.
  if (command.length > mostOfCommand) return;
  const line = command.replaceAll(/\\(\r?\n)/g, ' $1');
  const rest = 1 + name.length;
  if (kind === 'anything') return;
  if (kind === 'expression') new Expression(line, rest, name).read();
  else if (kind === 'assignment') {
    const variable = /^\s*(\S+)/.exec(line.slice(rest));
    if (!variable) throw new Refused(0, '\\set needs the name of a variable and an expression, such as \\set aid 1');
    const nameAt = rest + variable[0].length - (variable[1] ?? '').length;
    if (!/^[\w\u0080-\uffff]+$/.test(variable[1] ?? '')) {
      throw new Refused(
        nameAt,
        `"${shown(variable[1] ?? '')}" is not the name of a variable: expected letters, digits and _`,
      );
    }
    new Expression(line, rest + variable[0].length, name).read();
  } else {
    const words = line
      .slice(rest)
      .trimStart()
      .split(/\s+/, mostWords)
      .filter((word) => word !== '');
    if (kind === 'sleep') readSleep(words);
    else if (words.length > kind.most) {
      const expected = kind.most === 0 ? 'nothing' : 'one word';
      throw new Refused(0, `\\${name} takes ${expected} after it; found "${shown(words.join(' '))}"`);
    }
  }
}

function readSleep(words: readonly string[]): void {
  const [amount = '', second] = words;
  const glued = amount.startsWith(':') ? '' : (/^[-+]?\d+(.*)$/.exec(amount)?.[1] ?? '');
  const unit = second ?? glued;
  if (words.length === 0 || words.length > 2) {
    throw new Refused(0, '\\sleep takes a number and a unit, such as \\sleep 10 ms');
  }
  if (unit !== '' && !/^(us|ms|s)$/i.test(unit)) {
    throw new Refused(0, `\\sleep: "${shown(unit)}" is not a unit; expected us, ms or s`);
  }
}

function followConditions(name: string, open: { at: number; hasElse: boolean }[], at: number): void {
  if (name === 'if') open.push({ at, hasElse: false });
  if (!['elif', 'else', 'endif'].includes(name)) return;
  const last = open.at(-1);
  if (!last) throw new Refused(0, `\\${name} has no \\if before it`);
  if (name !== 'endif' && last.hasElse) throw new Refused(0, `\\${name} comes after \\else`);
  if (name === 'else') last.hasElse = true;
  if (name === 'endif') open.pop();
}
