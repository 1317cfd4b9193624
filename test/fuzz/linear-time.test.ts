import { describe, expect, it } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { ExperimentSource } from '../../runner/experiment/file/source.ts';
import { parseSums } from '../../runner/files/sums.ts';
import { linesOfPage, isPage } from '../../runner/workloads/html-page.ts';
import { headFor } from '../../runner/workloads/own-data/dump-text.ts';
import { sideEffectsOf } from '../../runner/workloads/pgbench/side-effects.ts';
import { lineOfCommand, semicolonHint, variableHint } from '../../runner/workloads/pgbench/script-mistakes.ts';
import { splitScript } from '../../runner/workloads/pgbench/script-text.ts';
import { readOutput } from '../../runner/workloads/read-output.ts';

const signs = Array.from(`'"$\\;\n \t()[]{}<>|&#*-:,@%a0.\r\0\`/`);
const scriptParts = [
  ...['copy ', "copy from '", 'copy from ', 'from ', 'from  program', '$$', '$a$', '$a', '--', '/*', '*/', "e'", "''"],
  ...['copy x from stdin;', 'copy x from stdin\\;', 'create database ', 'import foreign ', 'dblink_', '\n\\.', '\\.\n'],
  ...['\\copy ', '\\copy x from stdin\n', '\\i x\n', '\\ir a ', '\\! ', '\\a ', '\\a', '\\\\', '\\;', '\\\n', '\\g '],
  ...['\\set a 1\n', '\\set a (', '\\set a 1+', '\\set a -', '\\set a f(', '\\set a case ', '\\set a \\\n', '\\foo\n'],
  ...['\\if 1\n', '\\endif\n', '\\sleep 1 ', '\\if \\\r\n', 'begin atomic ', '\\set x `', '\\setenv ', '\\g ('],
];
const outputParts = [
  ...['<a ', '<pre>', '</', '&lt;', '&#1;', '| ', '> ', '# ', '```\n', '\u001b[0m', '1: ', '[1] ', 'a=b ', 'x: '],
  ...['1 1 1 1 1 1\n', 'transaction type: x\n', 'number of clients: 1\n', 'scaling factor: 1\n', 'tps = 1\n', '1.0 '],
  ...['progress: 1.0 s, 1 tps, lat 1 ms stddev 1\n', 'progress: 1.0 s, ', 'SQL script 1: x\n', ' - 1 transactions\n'],
  ...['latency average = ', 'pgbench (', 'client 1 aborted\n', 'statement latencies in milliseconds:\n', 'Vuser 1:x\n'],
  ...['2026-01-01 00:00:00 ', 'TEST RESULT : System achieved 1 NOPM\n', 'HammerDB CLI v4\n', 'vacuuming...\n'],
  ...['<span ', '&nbsp;', '\\n', '\\"'],
];
const yamlParts = [
  ...[
    'a: ',
    'a:\n ',
    '- ',
    '"\n',
    "'\n",
    'a: "\n',
    'a: [\n',
    'a: }\n',
    '&a ',
    '*a ',
    'a: &a [*a]\n',
    'a: b: c\n',
    '<<: ',
  ],
];

/** What may stand before very much of a sign. */
const heads = [
  ...['\\g', '\\o (', '\\copy t from', '\\i', '\\set a', 'copy t from', 'copy t from program', 'create', 'x:', 'tps ='],
];

/** What reads a text of a user, with texts that could keep it busy. */
const readers: Record<string, [read: (text: string) => unknown, units: readonly string[]]> = {
  'what a script of pgbench reaches': [
    (text) => sideEffectsOf(text, splitScript(text), { name: 'a', by: 'pgbench' }, nothing),
    scriptParts,
  ],
  'what a file of psql reaches': [
    (text) => sideEffectsOf(text, splitScript(text), { name: 'a', by: 'psql' }, nothing),
    scriptParts,
  ],
  'the line of a command': [(text) => lineOfCommand(text, 3), scriptParts],
  'the variables of a script': [
    (text) => variableHint('syntax error at or near ":"\nLINE 1: :a\n        ^', text),
    scriptParts,
  ],
  'an error of the server': [semicolonHint, scriptParts],
  'the beginning of a dump': [(text) => headFor(text, { serverMajor: 14, psql: '14.1' }), scriptParts],
  'a page': [(text) => [isPage(text), linesOfPage(text)], outputParts],
  'an output': [(text) => readOutput(text, 'x', new AbortController().signal), outputParts],
  'a manifest': [(text) => parseSums(text, 'x'), []],
  'an experiment': [(text) => new ExperimentSource(text, 'x'), yamlParts],
};
const nothing = { folder: '/x', isInput: () => false, onInclude: () => undefined, onOther: () => undefined };

/** Of this process, whatever else the machine does. */
async function processorMs(read: (text: string) => unknown, text: string): Promise<number> {
  const before = process.cpuUsage();
  try {
    await read(text);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Sixteen times the text takes time sixteen times, and 256 times if that grows with the square. */
const [factor, margin] = [16, 4];
/** Characters of the short one. An experiment is never long. */
const shortOf = (what: string): number => (what === 'an experiment' ? 2 ** 11 : 2 ** 13);
/** What is quicker has no exact time, and where it grows with the square, the long text takes seconds. */
const minMs = 10;

describe('a text that somebody wrote to keep its reader busy', () => {
  it.each(Object.entries(readers))(
    'reads %s in time by its length',
    async (what, [read, units]) => {
      const slow: string[] = [];
      const short = shortOf(what);
      const alone = [...signs, ...units].map((unit) => ['', unit] as const);
      for (const [head, unit] of [
        ...alone,
        ...heads.flatMap((one) => [' ', '(', "'"].map((sign) => [one, sign] as const)),
      ]) {
        const of = (length: number): string => `${head}${unit.repeat(Math.ceil(length / unit.length))}\nx`;
        const [once, many] = [await processorMs(read, of(short)), await processorMs(read, of(factor * short))];
        if (many > margin * factor * Math.max(once, minMs))
          slow.push(`${JSON.stringify([head, unit])}: ${once} and ${many} ms`);
      }
      expect(slow).toEqual([]);
    },
    300_000,
  );
});
