import type { Answer, Request } from './reader.ts';

/** A reader that hangs, dies, or takes too much memory, each at one mutant; so that the watch over readers can be seen to work. */
const kept: Buffer[] = [];
process.on('message', ({ number }: Request) => {
  if (number === 2) for (;;);
  if (number === 3) throw new Error('a fault of the reader');
  if (number === 4) kept.push(Buffer.alloc(2 ** 30, 1));
  const peakBytes = process.resourceUsage().maxRSS * 1024;
  const answer: Answer = { outcome: 'valid', objection: null, seconds: 0, peakBytes };
  process.send?.(answer);
});
process.send?.('ready');
