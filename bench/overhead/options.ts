import { parseArgs, type ParseArgsConfig } from 'node:util';
import { UserError } from '../../runner/contract/errors.ts';

/** Fewer rounds leave an interval that one disturbed round decides. */
export const minRounds = 8;
const scripts = ['select-only', 'simple-update', 'tpcb-like'] as const;

export interface OverheadOptions {
  /** Length of each measurement in seconds. */
  seconds: number;
  /** The most rounds that are measured. */
  rounds: number;
  /** Built-in script of pgbench. */
  script: (typeof scripts)[number];
  /** Whether plain pgbench is also measured without its log of every transaction. */
  withoutLog: boolean;
}

export interface OutputOptions {
  /** Length of each measurement in seconds. */
  seconds: number;
  blocks: number;
  /** Amount of output after which memory is looked at. */
  gigabytes: number;
  /** Numbers of notices that the server sends for each transaction. */
  notices: number[];
}

/** @throws {UserError} as below */
export function parseOutputOptions(args: readonly string[]): OutputOptions {
  const { seconds, blocks, gigabytes, notices } = parseOrRefuse(args, {
    seconds: { type: 'string', default: '1' },
    blocks: { type: 'string', default: '300' },
    notices: { type: 'string', default: '0,1,20,200' },
    gigabytes: { type: 'string', default: '10' },
  });
  return {
    seconds: wholeNumber('--seconds', seconds, 1),
    blocks: wholeNumber('--blocks', blocks, 1),
    gigabytes: wholeNumber('--gigabytes', gigabytes, 1),
    notices: notices.split(',').map((one) => wholeNumber('--notices', one, 0)),
  };
}

/** @throws {UserError} if an argument is not known, or its value is of no use */
export function parseOverheadOptions(args: readonly string[]): OverheadOptions {
  const {
    seconds,
    rounds,
    script: name,
    ...rest
  } = parseOrRefuse(args, {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '60' },
    script: { type: 'string', default: 'select-only' },
    'without-log': { type: 'boolean', default: false },
  });
  const script = scripts.find((one) => one === name);
  if (!script) throw new UserError(`--script is ${name}; expected ${scripts.join(', ')}.`);
  return {
    seconds: wholeNumber('--seconds', seconds, 1),
    rounds: wholeNumber('--rounds', rounds, minRounds),
    script,
    withoutLog: rest['without-log'],
  };
}

function parseOrRefuse<T extends NonNullable<ParseArgsConfig['options']>>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new UserError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function wholeNumber(option: string, text: string, min: number): number {
  if (!/^\d{1,6}$/.test(text) || Number(text) < min) {
    throw new UserError(`${option} is ${text}; expected a whole number of at least ${min}.`);
  }
  return Number(text);
}
