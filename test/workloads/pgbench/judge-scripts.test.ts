import { expect, it } from 'vitest';
import { requireReadable } from '../../../runner/workloads/pgbench/judge-scripts.ts';
import { fakePgbench } from '../../helpers/processes/fake-pgbench.ts';

/** Lets a program judge a script in the place of pgbench. */
async function judgedBy(program: string, signal = new AbortController().signal): Promise<void> {
  const { options } = fakePgbench(program, { transactions: 1 });
  await requireReadable(options.programs, { ...options, signal, seconds: 0.2 });
}

it('scripts that take pgbench long to read are refused: it would take as long at each start', async () => {
  await expect(judgedBy('exec sleep 60')).rejects.toThrow(
    /^pgbench has not read the scripts of this workload within 0\.2 s\. Shorten them/,
  );
});

it('an interruption is not blamed on the scripts', async () => {
  const reason = new Error('Ctrl-C');
  await expect(judgedBy('exec sleep 60', AbortSignal.abort(reason))).rejects.toBe(reason);
});
