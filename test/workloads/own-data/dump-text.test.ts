import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headFor, textFor } from '../../../runner/workloads/own-data/dump-text.ts';

/** As pg_dump 17.6 begins and ends a dump. */
const head = `--
-- PostgreSQL database dump
--

\\restrict eJxXk0

-- Dumped from database version 17.6
-- Dumped by pg_dump version 17.6

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SELECT pg_catalog.set_config('search_path', '', false);
SET default_tablespace = '';

`;
const rows = `CREATE TABLE public.said (words text);
COPY public.said (words) FROM stdin;
SET transaction_timeout = 0;
-- PostgreSQL database dump
\\\\unrestrict eJxXk0
\\.
`;
const end = `
--
-- PostgreSQL database dump complete
--

\\unrestrict eJxXk0

`;
const [newPsql, oldPsql] = ['psql (PostgreSQL) 17.6', 'psql (PostgreSQL) 17.5 (Debian 17.5-1)'];

async function read(
  text: string,
  cuts: readonly number[],
  reader: { serverMajor: number; psql: string },
): Promise<string> {
  const whole = Buffer.from(text, 'utf8');
  const at = [0, ...cuts.map((cut) => cut % whole.length).sort((a, b) => a - b), whole.length];
  const parts = at.slice(1).map((to, index) => whole.subarray(at[index], to));
  const written: Buffer[] = [];
  // eslint-disable-next-line @typescript-eslint/require-await -- as a file is read
  const source = async function* (): AsyncGenerator<Buffer> {
    yield* parts;
  };
  for await (const part of textFor(source(), reader)) written.push(part);
  return Buffer.concat(written).toString('utf8');
}

describe('the text of a dump', () => {
  it.each([
    [17, newPsql, head],
    [15, newPsql, head.replace('SET transaction', '-- omitted by pgduet: SET transaction')],
    [17, oldPsql, head.replace('\\restrict', '-- omitted by pgduet: \\restrict')],
    // A newer server than all that are known may have what they do not have.
    [99, newPsql, head],
  ])('begins for a server of version %i and %s without what these do not know', (serverMajor, psql, expected) => {
    expect(headFor(head + rows, { serverMajor, psql }).text).toBe(expected + rows);
  });

  it.each([
    ['psql (PostgreSQL) 14.18', true],
    ['psql (PostgreSQL) 14.19', false],
    ['psql (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)', false],
    ['psql (PostgreSQL) 16.9', true],
    ['psql (PostgreSQL) 18beta1', false],
    ['psql (PostgreSQL) 19.0', false],
  ])('keeps \\restrict for %s unless that is too old: %s', (psql, isLeftOut) => {
    expect(headFor(head, { serverMajor: 17, psql }).restrictedBy === 'eJxXk0').toBe(isLeftOut);
  });

  it('keeps every line of a file that pg_dump has not made', () => {
    const own = 'SET no_such_parameter = 1;\nSET transaction_timeout = 0;\n';
    expect(headFor(own, { serverMajor: 15, psql: oldPsql })).toEqual({ text: own, restrictedBy: null });
  });

  it('keeps what stands among rows, wherever its parts are cut, and all line numbers', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(), { maxLength: 8 }),
        fc.constantFrom(newPsql, oldPsql),
        fc.constantFrom(15, 17),
        fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n\\]/g, '')),
        async (cuts, psql, serverMajor, row) => {
          const whole = `${head}${rows.replace('\\.', `${row}\n\\.`)}${end}`;
          const text = await read(whole, cuts, { serverMajor, psql });
          expect(text).toContain(rows.replace('\\.', `${row}\n\\.`));
          expect(text.split('\n')).toHaveLength(whole.split('\n').length);
          expect(/^SET transaction_timeout/m.test(text.slice(0, text.indexOf('CREATE')))).toBe(serverMajor === 17);
          expect(/^\\(un)?restrict/m.test(text)).toBe(psql === newPsql);
        },
      ),
    );
  });

  it('passes a dump without a head, and an empty one', async () => {
    for (const text of ['', 'SELECT 1;', '-- nothing\n', head]) {
      expect(await read(text, [3], { serverMajor: 18, psql: newPsql })).toBe(text);
    }
  });
});
