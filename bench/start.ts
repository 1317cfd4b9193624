import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { compiled, project } from '../lib/build-options.ts';
import { median } from '../runner/statistics/summaries.ts';

const rounds = 21;
const launcher = path.join(project, compiled, 'pgduet.mjs');

/**
 * Measures how long the command line takes to start, and Node.js with nothing to do. They take turns, so that other load
 * slows both.
 */
export function benchStart(): void {
  const commands: Record<string, readonly string[]> = {
    'node alone': ['--eval', '0'],
    '--help': [launcher, '--help'],
    'plan --help': [launcher, 'plan', '--help'],
    'plan quick': [launcher, 'plan', 'quick'],
  };
  // The first start reads files that are not in memory yet.
  for (const args of Object.values(commands)) start(args);
  const seconds = new Map(Object.keys(commands).map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, args] of Object.entries(commands)) seconds.get(name)?.push(start(args));
  }
  const bare = median(seconds.get('node alone') ?? []) ?? NaN;
  for (const [name, own] of seconds) {
    const middle = median(own) ?? NaN;
    process.stdout.write(`${name.padEnd(12)} ${middle.toFixed(3)} s  ${(middle / bare).toFixed(1)} times node alone\n`);
  }
}

function start(args: readonly string[]): number {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: project,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  return (performance.now() - begun) / 1000;
}
