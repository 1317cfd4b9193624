import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolRun } from '../../runner/contract/tool-output.ts';
import { parseOutput } from '../../runner/workloads/hammerdb/output/parse-output.ts';
import { runsIn } from '../../runner/workloads/pgbench/output/parse-output.ts';
import { readOutput } from '../../runner/workloads/read-output.ts';
import { recorded } from '../helpers/hammerdb/stand-in.ts';
import { capturedOutput, expectedRuns } from '../helpers/samples/captured-output.ts';

const read = (text: string): Promise<ToolRun[]> => readOutput(text, 'a.txt', new AbortController().signal);

/** The runs without where they are, and what was taken off. */
function rows(text: string): Partial<ToolRun>[] {
  return [...runsIn(text)].map(({ place: _, notes: __, ...run }) => run);
}

const whole = expectedRuns().filter(([, runs]) => runs.length > 0 && runs.every(({ complete }) => complete));
const withProgress = whole.map(([name]) => name).filter((name) => /progress: /.test(capturedOutput(name).stderr));

describe('stderr that stands behind stdout', () => {
  it.each(withProgress)('belongs to the run of %s', (name) => {
    const { stdout, stderr } = capturedOutput(name);
    const behind = `starting vacuum...end.\n${stderr}`;
    expect(rows(stdout + stderr)).toEqual(rows(stdout));
    expect(rows(stdout + behind)).toEqual(rows(stdout));
    const lines = (stdout + behind).trimEnd().split('\n').length;
    expect([...runsIn(stdout + behind)].map(({ place }) => place)).toEqual([{ run: 1, fromLine: 1, toLine: lines }]);
  });

  it('belongs to the runs of a loop, each of which is followed by its own', () => {
    const { stdout, stderr } = capturedOutput('18.6/progress');
    const other = capturedOutput('18.6/progress-rate');
    const loop = `${stdout}${stderr}${other.stdout}${other.stderr}${stdout}${stderr}`;
    expect(rows(loop)).toEqual([...rows(stdout), ...rows(other.stdout), ...rows(stdout)]);
    const apart = `${stdout}${other.stdout}${stderr}starting vacuum...end.\n${other.stderr}`;
    expect(rows(apart)).toEqual([...rows(stdout), ...rows(other.stdout)]);
  });

  it('is of a run that was killed if the run before has its own', () => {
    const { kept, stderr } = capturedOutput('18.6/progress');
    expect(rows(kept + stderr)).toMatchObject([
      { complete: true },
      { complete: false, problems: [expect.stringContaining('no summary: the run was killed, or is still running')] },
    ]);
  });
});

describe('what pgbench prints of its scripts', () => {
  const script = '-- select-only: <builtin: select only>\n\\set aid random(1, 100000 * :scale)\n';
  const list = 'Available builtin scripts:\n      tpcb-like: <builtin: TPC-B (sort of)>\n';

  it.each([script, list])('is called that, and no run: %j', async (text) => {
    await expect(read(text)).rejects.toThrow(/this is a script that pgbench --show-script prints.*it holds no run/);
  });

  it('adds no row to the run behind it', () => {
    const { stdout } = capturedOutput('18.6/plain');
    expect(rows(script + stdout)).toEqual(rows(stdout));
  });
});

describe('a text that ends within a number', () => {
  const { stdout } = capturedOutput('18.6/plain-timed');

  it.each([
    ['transactions', 'number of transactions actually processed: 6'],
    ['clients', 'number of clients: 2'],
    ['scale', 'scaling factor: 2'],
  ] as const)('has no %s, and says so', (figure, line) => {
    const [run, ...others] = runsIn(stdout.slice(0, stdout.indexOf(line) + line.length));
    expect([run, others]).toMatchObject([{ [figure]: null, complete: false }, []]);
    expect(run?.problems).toContain(`its last line may be truncated, and is not read: "${line}"`);
  });

  it('says that the number contradicts the transactions that were asked for', () => {
    const { stdout } = capturedOutput('18.6/plain');
    const [text] = /^[^]*actually processed: \d/.exec(stdout) ?? [''];
    expect([...runsIn(`${text}\n`)].flatMap(({ problems }) => problems)).toContain(
      'the summary is cut off before its tps, and contradicts itself about the number of requested transactions',
    );
  });

  it('is whole if the number is a remark behind the run', () => {
    expect(rows(`${stdout}\nnumber of clients: 4`)).toEqual(rows(stdout));
  });

  it('has no scale where it is HammerDB’s', () => {
    const [log = ''] = /^[^]*?Warehouses = .* out of \d/.exec(recorded('v6-run.log')) ?? [];
    expect(log).not.toBe('');
    expect(parseOutput(log)).toMatchObject([{ scale: null, complete: false }]);
    expect(parseOutput(`${log}\n`)).not.toMatchObject([{ scale: null }]);
  });
});

describe('a whole output is read as that', () => {
  const escaped = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll("'", '&#39;');
  const page = (text: string): string =>
    `<!DOCTYPE html>\n<html><body><p>Here:</p>${text}<p>So much.</p></body></html>`;

  it.each(whole)('%s with a blank line behind each of its lines', (name) => {
    const { stdout } = capturedOutput(name);
    expect(rows(stdout.replaceAll('\n', '\n\n'))).toEqual(rows(stdout));
  });

  it.each(whole)('%s with spaces at which a line does not break', (name) => {
    const { stdout } = capturedOutput(name);
    for (const space of ['\u00a0', '\u202f', '\u2007', '\u3000'])
      expect(rows(stdout.replaceAll(' ', space))).toEqual(rows(stdout));
    expect(rows(stdout.replaceAll(' ms', '\u00a0ms'))).toEqual(rows(stdout));
  });

  it.each(whole)('%s in a page of HTML', (name) => {
    const { stdout } = capturedOutput(name);
    const text = escaped(stdout);
    const pages = [
      page(`<pre class="code"><code>${text}</code></pre>`),
      page(`<pre>${text.replaceAll(/\d+/g, '<span class="mi">$&</span>')}</pre>`),
      page(`<p>${text.replaceAll(' ', '&nbsp;').replaceAll('\n', '<br/>')}</p>`),
      page(`<code>${text.replaceAll('\n', '<br>\n')}</code>`),
      `<pre>${stdout}</pre>`,
    ];
    for (const one of pages) {
      expect(rows(one)).toEqual(rows(stdout));
      expect([...runsIn(one)][0]?.notes).toContainEqual(
        expect.stringMatching(/^stripped from its lines: tags of HTML/),
      );
    }
  });

  it('HammerDB’s log in a page, and with such spaces', () => {
    const log = recorded('v6-run.log');
    const figures = (text: string): unknown => parseOutput(text).map(({ measures, complete }) => [measures, complete]);
    expect(figures(page(`<pre>${escaped(log)}</pre>`))).toEqual(figures(log));
    expect(figures(log.replaceAll(' ', '\u00a0'))).toEqual(figures(log));
  });
});

describe('a summary whose figures contradict each other is damaged, and both are named', () => {
  it.each([
    [
      'a lag',
      '18.6/progress-rate',
      /lag: avg \S+/,
      'lag: avg 9.111',
      'lag (9.111 ms) and latency (7.902 ms), of which',
    ],
    ['a mean lag', '18.6/progress-rate', /max \S+\)/, 'max 2.000)', 'lag (avg 3.684, max 2.000 ms)'],
    ['a short latency', '18.6/progress', /average = \S+/, 'average = 0.100', 'latency (0.100 ms) and speed (2.605 ms,'],
    [
      'a long latency',
      '13.4/progress',
      /average = \S+/,
      'average = 14.520',
      'latency (14.520 ms) and speed (1.468 ms,',
    ],
  ])('%s', (_, name, from, to, problem) => {
    const { stdout } = capturedOutput(name);
    expect([...runsIn(stdout.replace(from, to))]).toMatchObject([
      { complete: false, problems: [expect.stringContaining(`its summary contradicts itself about its ${problem}`)] },
    ]);
  });

  it('scripts whose transactions are not those of the run', () => {
    const { stdout } = capturedOutput('18.6/both-scripts');
    const [, section = ''] = /(SQL script 1[^]*)SQL script 2/.exec(stdout) ?? [];
    const [, , title = ''] = /(SQL script 2: )(.*)/.exec(stdout) ?? [];
    const twice = stdout.replace(
      /SQL script 2[^]*/,
      section.replace('script 1', 'script 2').replace(/: .*/, `: ${title}`),
    );
    expect([...runsIn(twice)].flatMap(({ problems }) => problems)).toEqual([
      'its summary contradicts itself about the transactions of its scripts (46 in sum) and of all (40)',
    ]);
  });

  it.each(['18.6/progress', '13.4/progress', '18.6/progress-timestamp'])('progress that %s has not', (name) => {
    const { kept, stderr } = capturedOutput(name);
    const scaled = (factor: number): string =>
      stderr.replaceAll(/[\d.]+ tps/g, (speed) => `${(factor * Number.parseFloat(speed)).toFixed(1)} tps`);
    for (const factor of [0.3, 3]) {
      const [run] = runsIn(kept.replace(stderr, scaled(factor)));
      expect(run?.complete).toBe(false);
      expect(run?.problems).toEqual([
        expect.stringMatching(/^its progress reports about \d+ transactions, its summary \d+$/),
      ]);
    }
    // Whoever kept the output may have left out some of it.
    const [, ...lines] = stderr.trimEnd().split('\n');
    expect(rows(kept.replace(stderr, lines.map((line) => `${line}\n`).join('')))).toEqual(rows(kept));
  });
});

describe('progress that counted nothing', () => {
  /** pgbench 15.18 -c 2 -P 1, with a script that sleeps for 3 s. */
  const stdout = (limit: string, processed: string): string => `pgbench (15.18 (Debian 15.18-0+deb12u1))
transaction type: s3.sql
scaling factor: 1
query mode: simple
number of clients: 2
number of threads: 1
maximum number of tries: 1
${limit}
number of transactions actually processed: ${processed}
number of failed transactions: 0 (0.000%)
latency average = 3022.676 ms
latency stddev = 2.809 ms
initial connection time = 59.395 ms
tps = 0.661041 (without initial connection time)
`;
  const progress = [1, 2, 3]
    .map((second) => `progress: ${second}.0 s, 0.0 tps, lat 0.000 ms stddev 0.000, 0 failed\n`)
    .join('');

  it.each([
    ['duration: 1 s', '2'],
    ['number of transactions per client: 1', '2/2'],
  ])('is that of a whole run if the last transaction of each client ended behind it: %s', (limit, processed) => {
    const text = stdout(limit, processed);
    expect(rows(text + progress)).toMatchObject([{ complete: true, problems: [], transactions: 2 }]);
    expect(rows(progress + text)).toMatchObject([{ complete: true, problems: [], transactions: 2 }]);
  });

  it('is that of another run if more must have ended before', () => {
    const text = stdout('number of transactions per client: 6', '12/12').replace('0.661041', '3.966246');
    const [run] = rows(text.replace('3022.676', '503.779') + progress);
    expect(run?.problems).toEqual(['its progress reports about 0 transactions, its summary 12']);
  });
});

// test/fuzz cuts, repeats and changes lines and digits.
describe('whatever is done to recorded outputs, no row that is whole has a figure that is in none of them', () => {
  const figures = (run: Partial<ToolRun>): string =>
    JSON.stringify([
      ...[run.clients, run.scale, run.transactions, run.failedTransactions, run.durationSeconds, run.tps],
      // Nothing shows that the last one is missing if it never ran.
      ...(run.scripts ?? []).filter(({ transactions }) => transactions !== 0),
    ]);
  const texts = [...new Set(whole.flatMap(([name]) => [capturedOutput(name).stdout, capturedOutput(name).kept]))];
  const known = new Set(texts.flatMap((text) => rows(text).map(figures)));
  const oneText = fc.constantFrom(...texts);
  const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n');

  const mutations: Record<string, fc.Arbitrary<string>> = {
    'without its first lines': fc
      .tuple(oneText, oneText, fc.nat({ max: 12 }), fc.nat({ max: 12 }))
      .map(([one, other, a, b]) => [...linesOf(one).slice(a), ...linesOf(other).slice(b)].join('\n')),
    'two mixed line by line': fc
      .tuple(oneText, oneText, fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }))
      .map(([one, other, turns]) => {
        const [a, b] = [linesOf(one), linesOf(other)];
        return [...turns.flatMap((turn) => (turn ? a.shift() : b.shift()) ?? []), ...a, ...b].join('\n');
      }),
    'a prefix, some of it gone': fc
      .tuple(oneText, fc.constantFrom('\t', '> ', '| ', 'host1 | ', '1:'), fc.nat())
      .map(([text, prefix, at]) =>
        linesOf(text)
          .map((line, index) => (index === at % 20 ? line : prefix + line))
          .join('\n'),
      ),
    'tabs and line ends of Windows': oneText.map((text) => text.replaceAll('\n', '\r\n').replaceAll('= ', '=\t')),
    'a page, cut': fc
      .tuple(oneText, fc.nat())
      .map(([text, at]) => `<pre>${text.replaceAll('<', '&lt;').slice(0, at % text.length)}</pre>`),
  };

  it.each(Object.entries(mutations))('%s', (_, mutated) => {
    fc.assert(
      fc.property(mutated, (text) => {
        for (const run of rows(text)) if (run.complete) expect(known).toContain(figures(run));
      }),
      { numRuns: 500 },
    );
  });
});
