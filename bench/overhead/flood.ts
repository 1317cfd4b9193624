import { rmSync } from 'node:fs';
import path from 'node:path';
import { makeOwnedFolder } from '../../runner/process/owned-folder.ts';
import { runChecked } from '../../runner/process/run-command.ts';
import { shortenOutput } from '../../runner/process/shorten-output.ts';

/**
 * `node bin/run.mjs bench/overhead/flood.ts files|pipe BYTES`: runs a program that prints this much, in the way of a
 * run, and prints the peak memory of this process in bytes. It is a process of its own, since a process does not give
 * memory back.
 */
const [way, bytes = ''] = process.argv.slice(2);
const command = ['sh', '-c', `yes 'NOTICE:  one more of them' | head -c ${Number(bytes)} >&2`];
let lines = 0;
const onStderrLine = (): void => void (lines += 1);
if (way === 'files') {
  const { path: folder } = makeOwnedFolder();
  const files = { stdout: path.join(folder, 'stdout.log'), stderr: path.join(folder, 'stderr.log') };
  try {
    await runChecked(command, { files, onStderrLine });
    await shortenOutput(files.stderr, (line) => (line.startsWith('progress: ') ? line : null));
  } finally {
    rmSync(folder, { recursive: true });
  }
} else await runChecked(command, { onStderrLine });
process.stdout.write(`${JSON.stringify({ lines, peakBytes: process.resourceUsage().maxRSS * 1024 })}\n`);
