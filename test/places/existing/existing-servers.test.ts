import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { Plan } from '../../../runner/contract/plan.ts';
import { designOf } from '../../../runner/experiment/plan/design.ts';
import { serverProblem } from '../../../runner/places/existing/examine-server.ts';
import { libpqEnvironment } from '../../../runner/places/existing/libpq-environment.ts';
import { missingRights } from '../../../runner/postgres/predefined-roles.ts';
import { foldCommon, type Plain } from '../../../runner/experiment/file/profiles.ts';
import { onServers } from '../../../runner/experiment/file/on-servers.ts';
import { copyOf } from '../../../runner/postgres/loaded-copy.ts';
import { nameOfOwn } from '../../../runner/postgres/own-database.ts';
import { isOfSessions } from '../../../runner/postgres/parameters/judge.ts';
import type { Target } from '../../../runner/postgres/target.ts';
import { runCommandLine } from '../../helpers/fakes/fake-io.ts';
import { temporaryFolder } from '../../helpers/fakes/fake-run.ts';
import { codesIn, smallExperiment } from '../../helpers/samples/experiment-file.ts';
import { parsedExperiment } from '../../helpers/samples/parsed-experiment.ts';

describe('an experiment on existing servers', () => {
  const written = parsedExperiment(foldCommon(smallExperiment() as Plain) as object);
  const on = (...named: string[]) => parse(onServers(written, 'full', named)) as ReturnType<typeof smallExperiment>;

  it('has their names, in the order of its variants or as they are given, and nothing of its own servers', () => {
    const content = on('Prod_Old', 'new.db');
    expect(content.variants).toEqual({
      'prod-old': { server: { service: 'Prod_Old' } },
      'new-db': { server: { service: 'new.db' } },
    });
    expect(content).toMatchObject({ baseline: 'prod-old', workload: written.workload });
    expect(content['question']).not.toContain(written.question);
    expect(codesIn(content)).toEqual([]);
    expect(on('b=b', 'a=a').variants).toEqual({ a: { server: { service: 'a' } }, b: { server: { service: 'b' } } });
  });

  it.each([
    [['one'], 'names 1 server, and the experiment has 2 variants (a and b)'],
    [['one', 'two', 'three'], 'Name one server for each'],
    [['one', 'one'], 'names a server twice'],
    [['nobody=one', 'two'], 'has no variant "nobody"'],
    [['a=one', 'a=two'], 'Name one server for each'],
    [['a.b', 'a_b'], 'would have one name'],
    [['host=h password=secret', 'two'], 'its password into ~/.pgpass'],
    [['postgres://u:secret@h/d', 'two'], 'names of services'],
    [['', 'two'], 'names of services'],
  ])('is refused with --servers %j', (named, words) => {
    expect(() => onServers(written, 'full', named)).toThrow(words);
    try {
      onServers(written, 'full', named);
    } catch (error) {
      expect(String(error)).not.toContain('secret');
    }
  });

  it.each([
    { server: { service: 'a b' } },
    { server: { service: 'a', password: 'secret' } },
    { server: { service: 'a' }, storage: { type: 'local' } },
    { server: { service: 'a' }, dedicatedLogVolume: true },
    { server: { service: 'a' }, engine: { parameters: { shared_buffers: '4GB' } } },
    { server: { service: 'a' }, engine: { parameters: { autovacuum: false } } },
    { server: { service: 'b' } },
    { server: { service: 'a' }, class: 'db.r6g.large' },
    { storage: { type: 'existing' } },
  ])('is refused in a file with %j', (variant) => {
    const other = { server: { service: 'b' } };
    const content = { ...smallExperiment(), variants: { one: variant, two: other }, baseline: 'one' };
    expect(codesIn(content)).not.toEqual([]);
  });

  it('has one server for variants whose data, load or sessions differ, under their own names', () => {
    const variants = { a: {}, b: { prepare: ['CREATE INDEX ON pgbench_accounts (abalance)'] } };
    const asked = parsedExperiment(foldCommon({ ...smallExperiment(), variants } as Plain) as object);
    const content = parse(onServers(asked, 'full', ['one', 'one'])) as ReturnType<typeof smallExperiment>;
    expect(content.variants).toEqual({
      a: { server: { service: 'one' } },
      b: { server: { service: 'one' }, ...variants.b },
    });
    expect(codesIn(content)).toEqual([]);
    expect(codesIn({ ...content, protocol: { order: 'together' } })).toEqual(['server-together protocol.order']);
  });

  it.each([
    [{ prepare: 'CREATE INDEX ON pgbench_accounts (abalance)' }, []],
    [{ scripts: [{ builtin: 'select-only' }] }, []],
    [{ engine: { parameters: { work_mem: '64MB' } } }, []],
    [{ description: 'the same' }, ['server-twice common.server']],
    [{ engine: { version: '16' } }, ['server-twice common.server']],
  ])('has one server for two variants of which one has %j, or is refused', (own, problems) => {
    const { common: _, ...content } = smallExperiment();
    const variants = { one: {}, two: own };
    expect(codesIn({ ...content, common: { server: { service: 'a' } }, variants, baseline: 'one' })).toEqual(problems);
  });

  it('needs no storage in a file, whatever its variants have in common', () => {
    const variants = { one: { server: { service: 'a' } }, two: { server: { service: 'b' } } };
    const { common: _, ...content } = smallExperiment();
    expect(codesIn({ ...content, common: { storage: { type: 'local' } }, variants, baseline: 'one' })).toEqual([]);
  });
});

test.each(['work_mem', 'synchronous_commit', 'log_statement', 'my.own'])('a session may set %s', (name) => {
  expect(isOfSessions(name, null)).toBe(true);
});
test.each(['shared_buffers', 'autovacuum', 'block_size'])('no session may set %s', (name) => {
  expect(isOfSessions(name, null)).toBe(false);
});

test('the name of a database of ours fits with its copy, and is that of no other experiment or variant', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9]{0,18}(-[a-z0-9]{1,19})?$/);
  const pair = fc.tuple(name, fc.option(name, { nil: undefined }));
  fc.assert(
    fc.property(pair, pair, (one, other) => {
      const made = nameOfOwn(...one);
      expect(copyOf({ database: made } as Target).length).toBeLessThanOrEqual(63);
      expect(made === nameOfOwn(...other)).toBe(one.join() === other.join());
    }),
  );
});

const fit = {
  version: '15.14',
  product: 'PostgreSQL 15.14 on x86_64',
  isStandby: false,
  isReadOnly: false,
  mayCreate: true,
  free: 50,
  role: 'bench',
  missingRoles: [],
  service: null,
};

test.each([
  [{}, null],
  [{ version: '20.1' }, null],
  [{ version: '13.20' }, 'upgrade it'],
  [{ version: '9.6.24' }, 'upgrade it'],
  [{ product: 'CockroachDB CCL v23' }, 'this is CockroachDB'],
  [{ product: 'PostgreSQL 15.2-YB-2.25 on x86_64' }, 'this is PostgreSQL 15.2-YB'],
  [{ isStandby: true }, 'Name its primary'],
  [{ isReadOnly: true }, 'read-only'],
  [{ mayCreate: false }, 'ALTER ROLE … CREATEDB'],
  [{ free: 12 }, '12 connections are free, and the run needs 25'],
])('a server with %j is measured, or refused with its remedy', (found, words) => {
  const problem = serverProblem({ ...fit, ...found }, 20);
  if (words === null) expect(problem).toBeNull();
  else expect(problem).toContain(words);
});

test('what a role could do with more rights is said once, with the GRANT', () => {
  expect(missingRights([], 'bench')).toBeNull();
  const words = missingRights(['pg_checkpoint', 'pg_monitor'], '"a b"');
  for (const role of ['pg_checkpoint', 'pg_monitor']) expect(words?.split(`GRANT ${role} TO "a b"`)).toHaveLength(2);
});

test('libpq finds its user’s servers, and nothing of their environment changes a session', () => {
  expect(
    libpqEnvironment({
      HOME: '/nowhere',
      PGSERVICEFILE: '/a',
      PGSSLROOTCERT: '/b',
      PGOPTIONS: '-c work_mem=1GB',
      PGDATABASE: 'mine',
      PGDUET_PG_BINDIR: '/c',
      PGUSER: '',
      PATH: '/d',
    }),
  ).toEqual({ PGSERVICEFILE: '/a', PGSSLROOTCERT: '/b' });
});

describe('a plan on existing servers', () => {
  const io = (services: string) => {
    const workingFolder = temporaryFolder();
    writeFileSync(path.join(workingFolder, 'services'), services);
    const environment = { ...process.env, PGSERVICEFILE: path.join(workingFolder, 'services') };
    writeFileSync(path.join(workingFolder, 'small.yaml'), stringify(smallExperiment()));
    return { workingFolder, environment };
  };
  const planOn = async (servers: string) => {
    const { exitCode, stdout, stderr } = await runCommandLine(
      ['plan', 'small.yaml', '--servers', servers, '--json'],
      io('[mine]\nhost=127.0.0.1\nhostaddr=127.0.0.1\nport=1\n'),
    );
    expect(exitCode, stderr).toBe(0);
    return JSON.parse(stdout) as Plan;
  };

  it('names the service of each variant, and warns of those that libpq does not know', async () => {
    const { services, warnings, claims } = await planOn('nope,mine');
    expect(services).toEqual([
      { service: 'nope', variants: ['nope'] },
      { service: 'mine', variants: ['mine'] },
    ]);
    const unknown = warnings.filter(({ id }) => id === 'unknown-service');
    expect(unknown).toHaveLength(1);
    expect(unknown[0]?.message).toContain('nope');
    expect(claims.scope).toBe('these-servers');
  });
});

test('variants that are databases of one server have a scope of their own', () => {
  const { variants, ...rest } = parsedExperiment(foldCommon(smallExperiment() as Plain) as object);
  const [a, b] = Object.values(variants);
  if (!a || !b) throw new Error('no variants');
  const on = (one: typeof a, service: string) => ({
    ...one,
    storage: { type: 'existing' as const },
    server: { service },
  });
  const scopeOn = (second: string) => designOf({ ...rest, variants: { a: on(a, 'one'), b: on(b, second) } }).scope;
  expect([scopeOn('one'), scopeOn('two')]).toEqual(['one-server', 'these-servers']);
});
