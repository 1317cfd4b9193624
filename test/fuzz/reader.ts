import { makeMutant } from './mutants.ts';
import { type Reading, readMutant } from './reading.ts';

/** Asks the process of a reader to read a mutant. */
export interface Request {
  seed: number;
  number: number;
}

export interface Answer extends Reading {
  seconds: number;
  /** The most memory that the process has held so far. */
  peakBytes: number;
}

/** The process of a reader: reads the mutants that it is asked for, in a folder of its own, until its channel is closed. */
const [, , folder = ''] = process.argv;
process.on('message', (request: Request) => void answer(request));
process.send?.('ready');

async function answer({ seed, number }: Request): Promise<void> {
  const mutant = makeMutant(seed, number);
  const started = performance.now();
  const reading = await readMutant(mutant, folder);
  const seconds = (performance.now() - started) / 1000;
  const full: Answer = { ...reading, seconds, peakBytes: process.resourceUsage().maxRSS * 1024 };
  process.send?.(full);
}
