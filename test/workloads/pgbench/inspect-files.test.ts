import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../../runner/files/in-parts.ts';
import { splitScript } from '../../../runner/workloads/pgbench/script-text.ts';
import { toolOf } from '../../../runner/workloads/registry.ts';
import { temporaryFolder } from '../../helpers/fakes/fake-run.ts';

const outside = 'It is not part of the run’s inputs, so a rerun may measure something different.';
const onServer = 'runs a program on the server';
const nameThem = ' In workload.load.files, name the files that psql reads.';

/** What is found in a script of pgbench, `mix.sql`, and in data that `load` makes. */
function lookInto(
  files: Readonly<Record<string, string | Buffer>>,
  load?: object,
): { problems: unknown[]; warnings: string[] } {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries({ 'mix.sql': 'SELECT 1;\n', ...files })) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), typeof content === 'string' ? content.replaceAll('HERE', folder) : content);
  }
  const here = JSON.parse(JSON.stringify({ load }).replaceAll('HERE', folder)) as object;
  const data = load === undefined ? { tool: 'pgbench', scale: 1 } : { tool: 'own-data', ...here };
  const tool = toolOf(data);
  const workload = tool.schema.parse({ clients: 1, durationSeconds: 1, scripts: [{ file: 'mix.sql' }], ...data });
  const reading = tool.readFiles?.(workload, folder);
  const { problems, warnings } = reading ? atOnce(reading) : nothing;
  return { problems, warnings };
}
const nothing = { problems: [] as unknown[], warnings: [] as string[] };

describe('a script of pgbench', () => {
  it('of more than 16 MiB is refused with its size, without being read', () => {
    const rows = lookInto({ 'mix.sql': Buffer.alloc(2 ** 24 + 1, '\n') });
    const message = expect.stringContaining('mix.sql, which has 17 MiB; the maximum is 16 MiB.') as string;
    expect(rows.problems).toEqual([
      { rule: 'script', path: ['workload'], named: 'mix.sql', code: 'wrong-part', message },
    ]);
    expect(lookInto({ 'mix.sql': Buffer.alloc(2 ** 24, 'SELECT 1;\n') })).toEqual(nothing);
  });

  it.each([
    ['\\set a 1\n  \\setshell x date +%s\nSELECT :x;', 'runs a program by \\setshell (line 2)'],
    ['\\shell a\n\\shell b\n\\shell c', 'runs a program by \\shell (3 times, first in line 1)'],
    ['\\SHELL a\n\\SetShell x b', 'runs a program by \\shell (line 1), and runs a program by \\setshell (line 2)'],
    ["COPY t FROM PROGRAM'date';\nCOPY t FROM PROGRAM $$date$$;", `${onServer} (2 times, first in line 1)`],
    ["COPY t TO PROGRAM U&'date';\ncopy t from program :'cmd';", `${onServer} (2 times, first in line 1)`],
    [`COPY t (${' '.repeat(5000)}a) FROM /* x */ PROGRAM $x$date$x$;`, 'runs a program on the server (line 1)'],
    ['COPY t FROM$$/etc/motd$$;', 'reads a file on the server (line 1)'],
    ["SELECT 1;\nCOPY t\n FROM '/srv/rows.csv';", 'reads a file on the server (line 3)'],
    [
      "copy t from E'/srv/a' ; COPY t (a) TO PROGRAM 'cat';",
      'reads a file on the server (line 1), and runs a program on the server (line 1)',
    ],
    ["DO $b$ BEGIN\n PERFORM pg_read_file('/etc/motd'); END $b$;", 'reads a file on the server (line 2)'],
    ["SELECT * FROM dblink('host=other', 'SELECT 1') AS t (a int);", 'queries another server (line 1)'],
  ])('%j is named with what it does', (text, what) => {
    expect(lookInto({ 'mix.sql': text })).toEqual({
      problems: [],
      warnings: [`The script mix.sql ${what}. ${outside}`],
    });
  });

  it.each([
    "-- \\shell x\n/* COPY t FROM PROGRAM 'x'; */\nSELECT 'COPY t FROM ''x''', E'\\' ', \"copy from '\";",
    '\\set shell 1\nCOPY (SELECT a FROM program) TO STDOUT;\nSELECT $1, a$b$c FROM t;',
    "SELECT unended 'quote \\shell x",
  ])('%j is none that reaches for anything', (text) => {
    expect(lookInto({ 'mix.sql': text })).toEqual(nothing);
  });

  it.each([
    [Buffer.from('\ufeffSELECT 1;\n'), 'begins with a byte-order mark, which pgbench reads as part'],
    [Buffer.from('\ufeffSELECT 1;\n', 'utf16le'), 'is UTF-16, which pgbench cannot read; save it as UTF-8'],
  ])('that begins with a byte-order mark is refused', (text, why) => {
    const message = expect.stringContaining(`names the file mix.sql, which ${why}`) as string;
    expect(lookInto({ 'mix.sql': text }).problems).toMatchObject([{ named: 'mix.sql', message }]);
  });
});

describe('a file of one’s own data', () => {
  it.each([
    [
      "\\copy t FROM 'rows.csv'\n\\copy t from /srv/b.csv csv",
      'reads rows.csv (line 1), and reads /srv/b.csv (line 2)',
      nameThem,
    ],
    ['\\i :other\n', 'reads :other (line 1)', nameThem],
    ["\\copy t FROM PROGRAM 'date'\n\\! date", 'runs a program by \\copy (line 1), and runs a program by \\! (line 2)'],
    ['\\set now `date`\nSELECT 1 \\g |cat', 'runs a program by \\set (line 1), and runs a program by \\g (line 2)'],
    ["\\copy t from program'date'\n", 'runs a program by \\copy (line 1)'],
    ['SELECT 1 \\g (format=unaligned) |cat\n', 'runs a program by \\g (line 1)'],
    ["\\o '|cat'\n", 'runs a program by \\o (line 1)'],
    ["\\set bang '\\\\! date'\n:bang\n", 'keeps a command in a variable by \\set (line 1)'],
    ['\\setenv PSQL_EDITOR date\n\\e\n', 'names a program by \\setenv (line 1), and runs a program by \\e (line 2)'],
    ["\\echo don't\n\\lo_import a.png\n\\if true", 'reads a.png (line 2)', nameThem],
    ['\\if true \\! date', 'runs a program by \\! (line 1)'],
  ])('%j is named with what it does', (text, what, remedy = '') => {
    const warning = `The file a.sql ${what}. ${outside}${remedy}`;
    expect(lookInto({ 'a.sql': text }, { sql: ['a.sql'] }).warnings).toEqual([warning]);
  });

  it('may read what the experiment names, and what it includes is looked into, too', () => {
    const files = {
      'a.sql':
        "\\i sub/b.sql\n\\copy t FROM 'rows.csv'\nCOPY t FROM 'HERE/rows.csv';\n\\copy (SELECT a FROM t) TO out.csv\n\\copy t FROM stdin\n1\n\\.\n",
      'sub/b.sql': '\\ir c.sql\n\\ir ../a.sql\n',
      'sub/c.sql': 'SELECT 1;\n\\ir lost.sql\n',
      'rows.csv': '\\! date\n',
    };
    const load = { sql: ['a.sql'], files: ['sub/b.sql', 'sub/c.sql', 'rows.csv', 'HERE/rows.csv'] };
    expect(lookInto(files, load)).toEqual({
      problems: [],
      warnings: [`The file sub/c.sql reads lost.sql (line 2). ${outside}${nameThem}`],
    });
  });

  it('is looked into where it resets, or is a dump in plain text, whose rows are no commands', () => {
    const dump = "COPY public.t (a) FROM stdin;\n\\! date\nit's $$\n\\.\n\n\\! date\n";
    const load = { dump: 'shop.dump', reset: ['reset.sql'] };
    expect(lookInto({ 'shop.dump': dump, 'reset.sql': '\\! date' }, load).warnings).toEqual([
      `The file shop.dump runs a program by \\! (line 6). ${outside}`,
      `The file reset.sql runs a program by \\! (line 1). ${outside}`,
    ]);
    expect(lookInto({ 'shop.dump': `PGDMP\0\n\\! date\n`, 'reset.sql': '\ufeffSELECT 1' }, load)).toEqual(nothing);
  });
});

it('a text of any kind is taken apart in the time of its length', () => {
  const many = (text: string): string => text.repeat(Math.floor(2 ** 18 / text.length));
  const start = performance.now();
  const parts = [
    ...["'", '"', "E'\\", '$a$', '$$', '/*', '--', '\n', '\\', '\\! \\a', '\\a', "\\a '\\'", '\\a `', '\\a "'],
    ...['copy ', 'copy t from stdin;\n', 'copy t from stdin;', 'copy t from stdin\\;', '\\copy t from stdin\n', '\\g '],
  ];
  for (const text of [...parts.map(many), `\\a '${many('x')}`, `\\copy t from stdin\n${many('x\n')}`]) {
    expect(splitScript(text).sql).toHaveLength(text.length);
  }
  expect(performance.now() - start).toBeLessThan(20_000);
});

it('a file of 16 MiB with the same word is looked into within seconds', () => {
  const start = performance.now();
  expect(lookInto({ 'a.sql': 'copy '.repeat(2 ** 24 / 5) }, { sql: ['a.sql'] })).toEqual(nothing);
  expect(performance.now() - start).toBeLessThan(20_000);
});

it('bodies within bodies are taken apart however many begin and never end', () => {
  const bodies = Array.from({ length: 50_000 }, (_, number) => `$body${number}$ `).join('');
  expect(splitScript(bodies).sql).toBe(bodies);
});

it('rows are no SQL and no commands, however their COPY is sent and whatever they hold', () => {
  const line = fc.string({ unit: fc.constantFrom("'", '"', '$$', '/*', '--', '\\q', '\\', ';', 'a', ' ') });
  const rows = fc.array(line.filter((one) => one !== '\\.')).map((lines) => lines.map((one) => `${one}\n`).join(''));
  const copy = fc.constantFrom(
    ...['COPY t FROM stdin;', 'copy t (a)\nfrom STDIN -- all\n;', '\\copy t FROM stdin', '\\copy t(a) from STDIN csv'],
    ...['COPY t FROM stdin \\g', 'COPY t FROM stdin \\gx', 'SELECT 1 \\;\nCOPY t FROM stdin;'],
    ...['COPY t FROM stdin; -- rows', '\\echo a \\\\ COPY t FROM stdin;'],
  );
  const others = fc.constantFrom(
    ...[
      "SELECT 'it''s \\q';\n",
      '-- \\q\n',
      '/* \\q */\n',
      "\\echo 'a\\q'\n",
      '\\set a b\n',
      'DO $$ BEGIN; END $$;\n',
      '',
    ],
  );
  const blanked = (text: string): string => text.replace(/[^\n]/g, ' ');
  fc.assert(
    fc.property(fc.array(fc.tuple(others, copy, rows)), others, (blocks, last) => {
      const made = blocks.map(([other, begin, row]) => [`${other}${begin}\n`, `${row}\\.\n`] as const);
      const { sql, commands, unended } = splitScript(made.flat().join('') + last);
      expect(unended).toBeNull();
      expect(commands.map(({ name }) => name)).not.toContain('q');
      expect(sql).toBe(
        made.map(([begin, row]) => splitScript(begin).sql + blanked(row)).join('') + splitScript(last).sql,
      );
      const [begin, row] = made.at(-1) ?? ['', ''];
      const cut = made.slice(0, -1).flat().join('') + begin + row.slice(0, -3);
      expect(splitScript(cut).unended === null).toBe(made.length === 0);
    }),
  );
});

describe('a file that psql would load in part, without an error', () => {
  const problemsIn = (text: string) => lookInto({ 'made.sql': text }, { sql: ['made.sql'] }).problems;
  const refused = (why: string): object[] => [
    { message: expect.stringContaining(`names the file made.sql, which ${why}`) as string },
  ];
  const open = (line: number) => refused(`ends among the rows of the COPY in line ${line},`);
  const quits = (line: number) => refused(`has \\q in line ${line},`);

  it.each([
    ['CREATE TABLE t (a int);\nCOPY t FROM stdin;\n1\n2\n', open(2)],
    ['CREATE TABLE t (a int);\n\\copy t FROM stdin\n1\n2\n', open(2)],
    ['CREATE TABLE t (a int);\nCOPY t FROM stdin \\g\n1\n2\n', open(2)],
    ['SELECT 1 \\;\nCOPY t FROM stdin;\n1\n', open(2)],
    ['COPY t FROM stdin; SELECT 1;', open(1)],
    ['COPY t FROM stdin;\n\\.x\n', open(1)],
    ['COPY t FROM stdin;\n1\n\\.\nSELECT 1;\n', []],
    ['\\copy t FROM stdin\nC:\\\\q\nfoo\n\\.\n', []],
    ['COPY t FROM stdin; -- rows\r\na\r\n\\.\r\nSELECT 1;\r\n', []],
    ['SELECT 1;\n\\q\n-- the end\n/* of\n it */\n', []],
    ['SELECT 1;\n\\q -- bye', []],
    ['SELECT 1;\n\\quit\n', []],
    ["\\echo 'a\\q'\nSELECT 1;\n", []],
    ['\\if :done\n\\q\n\\endif\nSELECT 2;\n', []],
    ["SELECT E'a\\\\q';\n-- \\q\nSELECT 2;\n", []],
    ["\\copy t FROM stdin\nit's\n\\.\n\\q\nDROP TABLE t;\n", quits(4)],
    ['SELECT 1;\n\\q\n\\i more.sql\n', quits(2)],
    ['SELECT 1;\n\\q \\\\ SELECT 2;', quits(2)],
    ['SELECT 1 \\g \\q\nSELECT 2;', quits(1)],
    ['SELECT 1;\n\\copy t FROM pstdin\n', refused('has \\copy ... FROM pstdin in line 2,')],
  ])('is refused with the line, and one that psql reads to its end is not: %j', (text, problems) => {
    expect(problemsIn(text)).toMatchObject(problems);
  });

  it.each([
    ['--\nCREATE DATABASE shop WITH TEMPLATE = template0;\n\\connect shop\n', 'CREATE DATABASE in line 2'],
    ['SELECT 1;\nDROP  DATABASE shop;\n', 'DROP DATABASE in line 2'],
    ['SELECT 1;\n\\c shop\n', '\\c in line 2'],
  ])('is refused with the remedy where it is for another database: %j', (text, what) => {
    expect(problemsIn(text)).toMatchObject(refused(`is for its own database (${what}), but pgduet loads the one`));
    // What resets is no transaction, and may make another database.
    expect(lookInto({ 'reset.sql': text }, { dump: 'app.dump', reset: ['reset.sql'] }).problems).toEqual([]);
  });

  it.each([
    ['', 'is empty'],
    ['-- PostgreSQL database dump\nCOPY t FROM stdin;\n1\n', 'is truncated'],
  ])('is refused as a dump before servers are made: %j', (text, why) => {
    expect(lookInto({ 'app.dump': text }, { dump: 'app.dump' }).problems).toEqual([
      {
        rule: 'dump-file',
        path: ['workload', 'load', 'dump'],
        code: 'wrong-part',
        message: expect.stringContaining(why) as string,
      },
    ]);
  });
});
