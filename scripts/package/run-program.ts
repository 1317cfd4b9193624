import { spawnSync } from 'node:child_process';

/** Runs a program, prints how long it took, and returns what it printed. @throws with all of its output if it fails */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv; uid?: number; gid?: number },
): string {
  const begun = performance.now();
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...options,
    encoding: 'utf8',
    timeout: 600_000,
  });
  const command = [program, ...args].join(' ');
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${status ?? 'a signal'}:\n${stdout}${stderr}`);
  process.stderr.write(`${((performance.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${command}\n`);
  return stdout;
}
