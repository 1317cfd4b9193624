import { beforeEach, describe, expect, it, vi } from 'vitest';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeCollector, fakeRun, type FakeRunOptions } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

const protocol = { replicas: 2, blocks: 1, reset: [], warmUpSeconds: 0 };

/** A run of two variants with two servers each. */
function replicatedRun(options: FakeRunOptions = {}) {
  return fakeRun({ ...options, protocol: { ...protocol, ...options.protocol } });
}

describe('a run with two servers of each variant', () => {
  it('loads all of them, and measures each trial on its own', async () => {
    const run = replicatedRun();
    const result = await run.carryOut();
    const fills = run.log.filter((line) => line.startsWith('fill '));
    // Those of a variant are loaded at the same time, in either order.
    expect([fills.slice(0, 2).sort(), fills.slice(2).sort()]).toEqual([
      ['fill one-1', 'fill one-2'],
      ['fill two-1', 'fill two-2'],
    ]);
    expect(run.log.filter((line) => line.startsWith('load on ')).sort()).toEqual([
      'load on one-1',
      'load on one-2',
      'load on two-1',
      'load on two-2',
    ]);
    expect(result).toMatchObject({ complete: true });
  });

  it('puts only the server under test that is about to be measured', async () => {
    const run = replicatedRun({ protocol: { warmUpSeconds: 1 } });
    await run.carryOut();
    const tested = run.log.filter((line) => /^under test: (?!none)/.test(line));
    expect(tested.sort()).toEqual(['one-1', 'one-2', 'two-1', 'two-2'].map((name) => `under test: ${name}`));
  });

  it('records each server by itself, and tells what is loaded by its conditions', async () => {
    const versions: Record<string, string> = { 'one-1': '16.1', 'one-2': '16.2', 'two-1': '16.3', 'two-2': '16.4' };
    server.versionOf = (name) => versions[name] ?? '';
    const run = replicatedRun();
    await run.carryOut();
    expect(run.stored().run.variants).toMatchObject([
      { name: 'one', replica: 1, serverVersion: '16.1' },
      { name: 'one', replica: 2, serverVersion: '16.2' },
      { name: 'two', replica: 1, serverVersion: '16.3' },
      { name: 'two', replica: 2, serverVersion: '16.4' },
    ]);
    const loaded = run.events.flatMap((event) => (event.kind === 'loaded' ? [event.conditions] : []));
    expect(loaded).toContainEqual({ variant: 'two', replica: 2 });
  });

  it('gives a trial the version of its own server', async () => {
    const versions: Record<string, string> = { 'one-1': '15.1', 'one-2': '16.1', 'two-1': '17.1', 'two-2': '18.1' };
    server.versionOf = (name) => versions[name] ?? '';
    const majors: Record<string, number> = {};
    const collector = fakeCollector('settings', {
      start({ id, serverMajor }) {
        majors[id.replace(/^block-\d+-\d-/, '')] = serverMajor;
        return Promise.resolve({});
      },
    });
    await replicatedRun({ collectors: [collector] }).carryOut();
    expect(majors).toEqual({ 'replica-1-one': 15, 'replica-2-one': 16, 'replica-1-two': 17, 'replica-2-two': 18 });
  });

  it('ends the loading of the others when that of one fails, and says why that one did', async () => {
    const ended: string[] = [];
    const run = replicatedRun({
      generator: {
        load: ({ server: name }, { signal }) =>
          name === 'one-1'
            ? Promise.reject(new Error('no space left'))
            : new Promise((_, reject) => {
                signal.addEventListener('abort', () => {
                  ended.push(name);
                  reject(new Error('aborted'));
                });
              }),
      },
    });
    await expect(run.carryOut()).rejects.toThrow('no space left');
    expect(ended).toEqual(['one-2']);
    expect(run.log.at(-1)).toBe('place closed');
  });
});
