import { expect, it } from 'vitest';
import { UserError } from '../../../runner/contract/errors.ts';
import { CommandError } from '../../../runner/process/run-command.ts';
import { demandScriptRan } from '../../../runner/workloads/pgbench/try-scripts.ts';

const judge =
  (stderr: string, exitCode = 2) =>
  () =>
    demandScriptRan({ exitCode, stdout: '', stderr }, 'mix.sql', 'one');

it('a script that ran is right; of others, the user hears what the server or pgbench says', () => {
  expect(judge('', 0)).not.toThrow();
  const refused = `pgbench (15.14)
pgbench: error: client 0 script 0 aborted in command 1 query 0: ERROR:  relation "customr" does not exist
LINE 1: SELECT * FROM customr;
                      ^
pgbench: error: Run was aborted; the above results are incomplete.
`;
  expect(judge(refused)).toThrow(UserError);
  expect(judge(refused)).toThrow(
    /^The script mix\.sql does not run on one: aborted in command 1 query 0: ERROR: {2}relation "customr" does not exist\nLINE 1: .*\n +\^$/,
  );
  expect(judge('pgbench: fatal: mix.sql:3: syntax error in command "set"\n', 1)).toThrow(
    'The script mix.sql does not run on one: mix.sql:3: syntax error in command "set"',
  );
});

it('a lost connection is no mistake of the script', () => {
  const lost =
    'pgbench: error: client 0 aborted: connection to server was lost: server closed the connection unexpectedly\n';
  expect(judge(lost)).toThrow(CommandError);
});
