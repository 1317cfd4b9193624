import { spawnSync } from 'node:child_process';
import compiled from './helpers/compile.ts';

/**
 * `npm run lab -- WORD [OPTIONS]`: what pgduet itself is put through, and what takes too long to be a test. Without a word, and with
 * a wrong one, it lists them.
 */
const labs: Readonly<Record<string, { what: string; carryOut: (args: readonly string[]) => Promise<unknown> }>> = {
  faults: { what: 'faults that hit runs at random', carryOut: () => import('./faults/main.ts') },
  fuzz: { what: 'damaged outputs and logs, read', carryOut: () => import('./fuzz/main.ts') },
  soak: { what: 'a long run, for what grows', carryOut: () => import('./soak/main.ts') },
  parameters: {
    what: 'parameters of the server on one side only; what a report says of it must be true or absent',
    carryOut: () => import('./parameters/main.ts'),
  },
  causes: { what: 'planted causes, for the explanation to name', carryOut: () => import('./causes/main.ts') },
  stalls: {
    what: 'planted stalls, each for one check to find; PGDUET_STALLS=10 for ten of each',
    carryOut: (args) => runTests(['--project', 'alone', 'test/integration/stalls.test.ts', ...args]),
  },
  planted: {
    what: 'regressions planted in the load of a shop, five of each, for the report to name in the right statements; three quarters of an hour',
    carryOut: (args) => {
      process.env['PGDUET_THOROUGH'] = '1';
      return runTests(['--project', 'lasting', 'test/integration/planted-regressions.test.ts', ...args]);
    },
  },
  thorough: {
    what: 'tests that draw at random, with all of their repeats; npm test and npm run test:long carry out a part',
    carryOut: (args) => {
      process.env['PGDUET_THOROUGH'] = '1';
      return runTests([
        '--project',
        'unit',
        '--project',
        'drawn*',
        'test/cli/verify.test.ts',
        'test/fuzz/',
        'test/bench/',
        ...args,
      ]);
    },
  },
};

function runTests(args: readonly string[]): Promise<void> {
  const { status } = spawnSync('node_modules/.bin/vitest', ['run', ...args], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
  return Promise.resolve();
}

const [word = '', ...args] = process.argv.slice(2);
const lab = labs[word];
if (lab) {
  // Each of them reads its own arguments.
  process.argv.splice(2, Infinity, ...args);
  // Most of them start the command line, which is compiled for this.
  await compiled();
  try {
    await lab.carryOut(args);
  } catch (error) {
    if (!(error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')))
      throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
} else {
  const lines = Object.entries(labs).map(([name, { what }]) => `  ${name.padEnd(16)} ${what}`);
  const wrong = word === '' ? '' : `There is no lab "${word}".\n`;
  process.stderr.write(`${wrong}npm run lab -- WORD [OPTIONS]\n${lines.join('\n')}\n`);
  process.exitCode = 2;
}
