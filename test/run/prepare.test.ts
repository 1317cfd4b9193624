import { beforeEach, describe, expect, it, vi } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeRun, type FakeRunOptions } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

const index = 'CREATE INDEX ON pgbench_accounts (abalance)';
const storage = { type: 'local' };

function prepared(...variants: (string[] | undefined)[]): FakeRunOptions {
  const names = ['one', 'two', 'three'];
  return {
    protocol: { reset: [] },
    experiment: {
      variants: Object.fromEntries(
        variants.map((prepare, at) => [names[at] ?? '', prepare ? { storage, prepare } : { storage }]),
      ),
    },
  };
}

/** What was asked of servers, without what every run asks. */
function listen(): string[] {
  const heard: string[] = [];
  server.onQuery = (variant, statement) => {
    if (statement.startsWith('CREATE INDEX')) {
      heard.push(`${variant}: ${statement}`);
      server.tablesOf = () => ({ 'public.pgbench_accounts': 1 });
    }
  };
  return heard;
}

describe('SQL that a variant runs after loading', () => {
  it('runs on its servers only, once they are loaded, and is kept with its time', async () => {
    const heard = listen();
    const run = fakeRun(prepared(undefined, [index]));
    const result = await run.carryOut();
    expect(heard).toEqual([`two: ${index}`]);
    const loads = result?.steps.flatMap(({ loads: own = [] }) => own) ?? [];
    expect(loads.map(({ server: name, prepared: done }) => [name, done])).toEqual([
      ['one', undefined],
      ['two', [{ sql: index, seconds: expect.any(Number) as number }]],
    ]);
  });

  it('may make contents differ from those of other variants, but not of those with the same', async () => {
    // The first server that is asked for its tables after its preparation has more of them.
    const differing = (...variants: (string[] | undefined)[]) => {
      const done = new Set<string>();
      server.onQuery = (variant, statement) => {
        if (statement === index) done.add(variant);
      };
      server.tablesOf = (variant) => ({ 'public.made': done.has(variant) && variant === 'two' ? 2 : 1 });
      return fakeRun(prepared(...variants)).carryOut();
    };
    await differing(undefined, [index]);
    server.marks.clear();
    await expect(differing([index], [index])).rejects.toThrow(
      /^one and two were prepared in the same way, but their contents differ: table public\.made has 1 rows on one, and 2 on two\. .*SQL of prepare/,
    );
    expect(server.marks.size).toBe(0);
  });

  it('belongs to what a server is loaded with: with other SQL it is loaded again', async () => {
    listen();
    const onlyLoad = { stages: { load: true, run: false } };
    const first = fakeRun(prepared(undefined, [index]));
    await first.carryOut(onlyLoad);
    const loaded: string[] = [];
    const generator = {
      load: ({ server: name }: { server: string }) => {
        loaded.push(name);
        return Promise.resolve();
      },
    };
    await fakeRun({ ...prepared(undefined, [index]), generator }).carryOut({ ...onlyLoad, isResumed: true });
    expect(loaded).toEqual([]);
    await fakeRun({ ...prepared(undefined, [`${index} `.replace('abalance', 'bid')]), generator }).carryOut({
      ...onlyLoad,
      isResumed: true,
    });
    expect(loaded).toEqual(['two']);
    await expect(
      fakeRun(prepared(undefined, [index])).carryOut({ stages: { load: false, run: true } }),
    ).rejects.toThrow(UserError);
  });
});

describe('servers that were loaded differently', () => {
  it('are told in what their variants differ', async () => {
    server.tablesOf = (variant) => ({ 'public.purchase': variant === 'one' ? 0 : 5 });
    const variants = { one: { storage }, two: { storage, engine: { parameters: { search_path: 'indexed' } } } };
    await expect(fakeRun({ protocol: { reset: [] }, experiment: { variants } }).carryOut()).rejects.toThrow(
      /not the servers\. The variants differ in search_path\. Check whether the load/,
    );
  });
});
