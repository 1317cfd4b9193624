import { spawn } from 'node:child_process';
import { compile } from './build/compile.ts';

/**
 * `npm test`: integration tests, which wait for servers most of the time, and beside them unit tests, which compute. What
 * those print comes at their end, in one piece.
 */
const vitest = (kinds: readonly string[], output: 'inherit' | 'pipe') =>
  spawn('node_modules/.bin/vitest', ['run', ...kinds.flatMap((kind) => ['--project', `${kind}*`])], {
    stdio: ['ignore', output, output],
    env: { ...process.env, PGDUET_IS_COMPILED: '1' },
  });

await compile();
const integration = vitest(['integration'], 'inherit');
const unit = vitest(['unit', 'stacks'], 'pipe');
const printed: Buffer[] = [];
for (const stream of [unit.stdout, unit.stderr]) stream?.on('data', (part: Buffer) => printed.push(part));
unit.on('close', () => process.stdout.write(Buffer.concat(printed)));
for (const one of [integration, unit]) {
  one.on('close', (code) => {
    if (code !== 0) process.exitCode = 1;
  });
}
