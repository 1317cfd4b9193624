import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { pgbenchGenerator } from '../../../runner/workloads/pgbench/generator.ts';
import { temporaryFolder } from '../../helpers/fakes/fake-run.ts';
import { fakePgbench, nowhere } from '../../helpers/processes/fake-pgbench.ts';
import { pgbenchOutput } from '../../helpers/samples/pgbench-output.ts';

/** Stands for pgbench: it begins, its folder is moved, a copy takes the place, and only then it opens its log. */
const program = (
  folder: string,
): string => `for word in "$@"; do case "$word" in --log-prefix=*) prefix="\${word#*=}";; esac; done
cat <<'end'
${pgbenchOutput({ tps: 100, requested: 8 })}
end
: > begun
until [ -e '${folder}-moved' ] && [ -e '${folder}' ]; do sleep 0.01; done
echo '0 1 1000 0 1700000000 1' > "$prefix.1"
`;

it('a load whose folder is moved while it runs writes its log to that folder, and none to a copy in its place', async () => {
  const parent = temporaryFolder();
  const folder = path.join(parent, 'trial');
  mkdirSync(folder);
  // The load may be another user.
  chmodSync(parent, 0o755);
  const { options } = fakePgbench(program(folder), { clients: 8, transactions: 1, scripts: undefined });
  const generator = pgbenchGenerator({ ...options, collect: ['transaction-log'] });
  const request = { folder, seed: 1, signal: new AbortController().signal, onProgress: () => undefined };
  const measured = generator.measure(nowhere, request);
  await vi.waitFor(() => expect(existsSync(path.join(folder, 'transactions/begun'))).toBe(true), { timeout: 5000 });
  renameSync(folder, `${folder}-moved`);
  cpSync(`${folder}-moved`, `${folder}-copy`, { recursive: true });
  renameSync(`${folder}-copy`, folder);
  await measured;
  expect(readdirSync(path.join(`${folder}-moved`, 'transactions'))).toEqual(['begun', 'pgbench_log.1']);
  expect(readdirSync(path.join(folder, 'transactions'))).toEqual(['begun']);
});
