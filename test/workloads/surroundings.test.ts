import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolRun } from '../../runner/contract/tool-output.ts';
import { otherThanRun, parseOutput } from '../../runner/workloads/hammerdb/output/parse-output.ts';
import { readRun, runsIn } from '../../runner/workloads/pgbench/output/parse-output.ts';
import { recorded } from '../helpers/hammerdb/stand-in.ts';
import { capturedOutput, expectedRuns } from '../helpers/samples/captured-output.ts';

const cases = expectedRuns().filter(([, runs]) => runs.length > 0);
const whole = cases.filter(([, runs]) => runs.every(({ complete }) => complete)).map(([name]) => capturedOutput(name));
const texts = [...new Set(whole.flatMap(({ stdout, kept }) => [stdout, kept]))].map(ended);
const everything = [...new Set(cases.map(([name]) => ended(capturedOutput(name).kept)))];

/** The runs without where they are, and what was taken off. */
function rows(runs: Iterable<ToolRun>): Partial<ToolRun>[] {
  return [...runs].map(({ place: _, notes: __, ...run }) => run);
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

const eachLine = (text: string, around: (line: string, index: number) => string): string =>
  text
    .slice(0, -1)
    .split('\n')
    .map((line, index) => `${around(line, index)}\n`)
    .join('');

const time = (index: number): string => `10:${String(index % 60).padStart(2, '0')}:59`;
const prefixes = ['> ', '>> ', '    > ', '# ', '// ', 'bench-1  | ', '[pod/x7/pgbench] ', '[localhost] out: ', 'b| '];
const surroundings = fc.oneof(
  fc.stringMatching(/^[ \t]{1,20}$/).map((margin) => (text: string) => eachLine(text, (line) => margin + line)),
  fc.constantFrom(...prefixes).map((prefix) => (text: string) => eachLine(text, (line) => (prefix + line).trimEnd())),
  fc.constantFrom(
    (text: string) =>
      eachLine(text, (line, index) => `Nov ${9 + (index % 3)} ${time(index)} host1 pgbench[812]: ${line}`),
    (text: string) => eachLine(text, (line, index) => `2026-11-24T${time(index)}.123456789Z ${line}`),
    (text: string) => eachLine(text, (line) => `| ${line} |`),
    (text: string) => eachLine(text, (line) => `    ${JSON.stringify(line)},`),
    (text: string) => eachLine(text, (line) => `\u001b[36mpgbench-1  |\u001b[0m ${line}`),
    (text: string) => `${JSON.stringify({ rc: 0, stdout: text })}\n`,
    (text: string) => eachLine(text, (line) => JSON.stringify({ log: `${line}\n`, stream: 'stdout' })),
  ),
);

it('takes off what grep and tput print with colours', () => {
  const text = texts[0] ?? '';
  const coloured = [
    eachLine(text, (line) => `\u001b[0;1;32m\u001b[K${line}\u001b(B\u001b[m`),
    eachLine(text, (line) => `\u001b[01;31m\u001b[K${line}\u001b[m\u001b[K`),
  ];
  for (const one of coloured) expect(rows(runsIn(one))).toEqual(rows(runsIn(text)));
});

describe('what surrounds outputs', () => {
  it('leaves every row as it is, and is named', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...texts), { minLength: 1, maxLength: 3 }), surroundings, (some, around) => {
        const text = some.join('');
        const read = [...runsIn(around(text))];
        expect(rows(read)).toEqual(rows(runsIn(text)));
        for (const { notes } of read) expect(notes?.[0]).toMatch(/^stripped from its lines: /);
      }),
      { numRuns: 300 },
    );
  });

  it('leaves text beside it alone', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        surroundings,
        fc.constantFrom('', '# Results\n\n'),
        (text, around, title) => {
          const document = `${title}before\n\n${around(text)}\nafter, with\n\n${around(text)}`;
          expect(rows(runsIn(document))).toEqual(rows(runsIn(text + text)));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('is nothing that stands on one line only: such a line is damaged', () => {
    const { stdout } = capturedOutput('15.18/plain');
    for (const damaged of [stdout.replace('scaling', ' scaling'), stdout.replace('tps =', '> tps =')]) {
      expect([...runsIn(damaged)].some(({ complete }) => complete)).toBe(false);
    }
  });

  it('is taken off outputs of HammerDB, too', () => {
    const text = recorded('v6-np-sweep.log').replaceAll('\r', '');
    expect(rows(parseOutput(eachLine(text, (line) => `hammerdb-1  | ${line}`)))).toEqual(rows(parseOutput(text)));
  });
});

/** A part of an output. It has a line with a result: other lines alone may be errors of the run beside them. */
const damaged = fc
  .record({ text: fc.constantFrom(...everything), from: fc.nat(60), to: fc.nat(3000), without: fc.nat(40) })
  .map(({ text, from, to, without }) => {
    const lines = text
      .slice(0, to)
      .split('\n')
      .slice(from % 3 === 0 ? 0 : from);
    return ended(lines.filter((_, index) => index !== without).join('\n'));
  })
  .filter((text) =>
    /^(transaction type: .|number of transactions actually processed: \d+(\/\d+)?$|tps = \d+\.\d+ \()/m.test(text),
  );

describe('a damaged run', () => {
  const run = fc.constantFrom(...texts);
  const options = { numRuns: 1000 };

  it('harms none that stands before it', () => {
    // That a run was aborted stands behind its summary, maybe behind a notice of the server. A summary that goes on without a first
    // line may be that of the run before.
    const other = damaged.filter(
      (text) =>
        !/^((WARNING|NOTICE): .*\n)*(\s*(pgbench: \w+: )?Run was aborted|latency |initial connection time)/.test(text),
    );
    fc.assert(
      fc.property(run, other, (text, part) => {
        const expected = rows(runsIn(text));
        expect(rows(runsIn(text + part)).slice(0, expected.length)).toEqual(expected);
      }),
      options,
    );
  });

  it('harms none that stands behind it', () => {
    // A version and a summary that follow each other may be of one run.
    const lastOf = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].at(-1)?.index ?? -1;
    const other = damaged.filter(
      (text) =>
        lastOf(text, /^(transaction type|scaling|query|number of|duration|latency|tps)/gm) >
        lastOf(text, /^(pgbench: (?!.*Run was)|pgbench \(|starting|progress|client)/gm),
    );
    fc.assert(
      fc.property(other, run, (part, text) => {
        const expected = rows(runsIn(text));
        expect(rows(runsIn(part + text)).slice(-expected.length)).toEqual(expected);
      }),
      options,
    );
  });
});

it('no text makes a reader throw', () => {
  const lines = [...everything, recorded('v6-run.log'), recorded('v6-fail-wrongpw.log')].flatMap((text) =>
    text.split('\n'),
  );
  const line = fc.oneof(
    fc.constantFrom(...lines),
    fc.string(),
    fc.constantFrom('{"a": "\\n', '"\\n",', '`', '|', '> '),
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(line, { maxLength: 40 }).map((some) => some.join('\n')),
    fc.constantFrom(...everything).map((some) => JSON.stringify(some).slice(0, -3)),
  );
  fc.assert(
    fc.property(text, (some) => {
      for (const run of [...runsIn(some), ...parseOutput(some)]) expect(run.complete).toBe(run.problems.length === 0);
      otherThanRun(some);
      readRun({ stdout: some, stderr: some, exitCode: 0, requestedTransactions: 1 });
    }),
    { numRuns: 500 },
  );
});
