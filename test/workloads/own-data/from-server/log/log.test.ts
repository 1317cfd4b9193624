import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { callIn } from '../../../../../runner/workloads/own-data/from-server/log/calls.ts';
import { type LogEntry, textEntries } from '../../../../../runner/workloads/own-data/from-server/log/entries.ts';
import { slotsOf } from '../../../../../runner/workloads/own-data/from-server/log/slots.ts';
import { openParser, type Parsed } from '../../../../../runner/workloads/own-data/from-server/parse.ts';

async function entriesOf(text: string): Promise<LogEntry[]> {
  const entries = new Array<LogEntry>();
  for await (const entry of textEntries(text.split('\n'))) entries.push(entry);
  return entries;
}

const entry = (text: string, detail = ''): LogEntry => ({ database: null, text, detail });

describe('a log as text', () => {
  it('has entries of several lines, each with its own detail', async () => {
    const text = [
      '2026-11-30 08:00:00.000 UTC [7] shop@shop LOG:  duration: 0.1 ms  execute <unnamed>: SELECT *',
      '\tFROM t WHERE note = $1 -- LOG:  no entry',
      "2026-11-30 08:00:00.000 UTC [7] shop@shop DETAIL:  Parameters: $1 = 'two",
      "\tlines'",
      '2026-11-30 08:00:00.000 UTC [8] shop@shop ERROR:  division by zero',
      '2026-11-30 08:00:00.000 UTC [8] shop@shop STATEMENT:  SELECT 1 / 0',
      '2026-11-30 08:00:01.000 UTC:10.0.0.1(5432):shop@shop:[9]:LOG:  statement: SELECT 1;',
      'a line without a prefix',
    ].join('\n');
    expect(await entriesOf(text)).toEqual([
      entry(
        'duration: 0.1 ms  execute <unnamed>: SELECT *\nFROM t WHERE note = $1 -- LOG:  no entry',
        "Parameters: $1 = 'two\nlines'",
      ),
      entry('division by zero'),
      entry('statement: SELECT 1;'),
    ]);
  });

  it('is read whatever it holds', async () => {
    const piece = fc.constantFrom(
      'LOG:  ',
      'DETAIL:  ',
      'STATEMENT:  ',
      '\t',
      '\n',
      'statement: ',
      "$1 = 'x'",
      'x',
      ' ',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        for (const one of await entriesOf(pieces.join(''))) callIn(one);
      }),
    );
  });
});

describe('a call', () => {
  it.each<[string, string, string | null]>([
    ['statement: SELECT 1', '', 'SELECT 1'],
    ['duration: 12.345 ms  statement: SELECT 1;\nSELECT 2', '', 'SELECT 1;\nSELECT 2'],
    ['execute S_1/C_2: SELECT $1', "parameters: $1 = '5'", 'SELECT $1'],
    ['execute fetch from S_1/C_2: SELECT $1', "parameters: $1 = '5'", null],
    ['duration: 0.1 ms  bind S_1: SELECT $1', "parameters: $1 = '5'", null],
    ['duration: 0.1 ms', '', null],
    ['checkpoint starting: time', '', null],
    ['execute S_1: SELECT $1', "parameters: $1 = 'cut off...'", null],
  ])('%j', (message, detail, text) => {
    expect(callIn(entry(message, detail))?.text ?? null).toBe(text);
  });

  it('has the values that the server wrote', () => {
    const values = fc.array(fc.option(fc.string().filter((text) => !text.endsWith('...'))), { minLength: 1 });
    fc.assert(
      fc.property(values, (sent) => {
        // As the server writes them.
        const written = sent.map(
          (value, index) => `$${index + 1} = ${value === null ? 'NULL' : `'${value.replaceAll("'", "''")}'`}`,
        );
        const call = callIn(entry('execute s: SELECT 1', `Parameters: ${written.join(', ')}`));
        expect([...(call?.parameters ?? [])]).toEqual(sent.map((value, index) => [index + 1, value]));
      }),
    );
  });
});

describe('two texts', () => {
  let parse: (text: string) => Parsed;
  beforeAll(async () => {
    parse = await openParser();
  });
  const slots = (text: string) => {
    const parsed = parse(text);
    if (parsed.kind !== 'statement') throw new Error(`${text} is ${parsed.kind}`);
    return slotsOf(parsed);
  };

  it.each([
    ['SELECT * FROM t WHERE a = $1 AND b > $2', "select *\nfrom t where a = 'x' and b > -5", ["E'x'", '(-5)']],
    ['SELECT a FROM t WHERE d = date $1', "SELECT a FROM t WHERE d = date '2026-01-01'", ["E'2026-01-01'"]],
    ['SELECT a FROM t WHERE d > $1 LIMIT $2', 'SELECT a FROM t WHERE d > 1.5 /* now */ LIMIT 10', ['1.5', '10']],
    ['SELECT $1 FROM t WHERE a = $2', 'SELECT NULL FROM t WHERE a = true', ['NULL', 'true']],
  ])('that differ in constants only are one statement: %s', (counted, logged, values) => {
    const [one, other] = [slots(counted), slots(logged)];
    expect(other.key).toBe(one.key);
    expect(other.slots).toEqual(values.map((sql) => ({ kind: 'constant', sql })));
  });

  it.each([
    ['SELECT * FROM t WHERE a = $1', 'SELECT * FROM t WHERE b = 1'],
    ['SELECT * FROM t WHERE a = $1', 'SELECT * FROM s.t WHERE a = 1'],
    ['SELECT * FROM t WHERE a IN ($1, $2)', 'SELECT * FROM t WHERE a IN (1)'],
    ['SELECT * FROM t ORDER BY a', 'SELECT * FROM t ORDER BY a DESC'],
  ])('that differ in more are not: %s', (counted, logged) => {
    expect(slots(logged).key).not.toBe(slots(counted).key);
  });
});
