import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { queryOn } from '../helpers/servers/local-cluster.ts';
import { pathOfProgram } from '../../runner/process/program-path.ts';
import { askProgram } from '../../runner/process/run-command.ts';
import type { Target } from '../../runner/postgres/target.ts';
import { processesBelow } from '../helpers/processes/command-line.ts';
import { onFolders, programsBelow, tinyExperiment, tinyRun, type TinyRun } from '../helpers/processes/tiny-run.ts';

const { common, protocol, profiles } = tinyExperiment;
const experiment = {
  name: 'tiny',
  question: 'What does PgBouncer cost or save?',
  common: { engine: common.engine, storage: { type: 'local', sizeGib: 1 } },
  variants: {
    direct: {},
    session: { pooler: { mode: 'session', poolSize: 4 } },
    transaction: { pooler: { mode: 'transaction', poolSize: 2 } },
  },
  baseline: 'direct',
  workload: { tool: 'pgbench', scale: 1, clients: 4, durationSeconds: 1 },
  protocol: { ...protocol, blocks: 7, reset: ['checkpoint'] },
  decision: { metric: 'tps', practicalThreshold: 0.05 },
  profiles,
};
const oneBlock = { ...experiment, protocol: { ...experiment.protocol, blocks: 1 } };

let tiny: TinyRun;
beforeEach(() => {
  tiny = tinyRun();
});

/** Files of the servers of the one place that is there. */
function serversIn(temporary: string): string {
  const [folder = ''] = readdirSync(temporary).filter((name) => name.startsWith('pgduet-'));
  return path.join(temporary, folder, 'servers');
}

describe('PgBouncer before local variants', () => {
  it('is measured in both modes against none, with a verdict; what it hides is said, and nothing is left', async () => {
    tiny.define(experiment);
    const { trials, comparisons, place } = await tiny.measured();
    expect(new Set(trials.map(({ state }) => state))).toEqual(new Set(['finished']));
    const deciding = comparisons.filter(({ metric }) => metric === 'tps');
    expect(deciding.map(({ candidate }) => candidate.variant).sort()).toEqual(['session', 'transaction']);
    for (const { verdict } of deciding) expect(verdict).not.toBe('descriptive');
    expect(place.caveats.filter((caveat) => caveat.includes('session, transaction'))).toHaveLength(1);
    for (const { conditions, measures, checks, facts } of trials) {
      const size = { direct: undefined, session: 4, transaction: 2 }[conditions.variant];
      expect(measures['pooler.size']).toBe(size);
      expect(checks.find(({ id }) => id === 'commits')?.state).toBe('pass');
      expect(facts.otherSessions ?? []).toEqual([]);
      if (size !== undefined)
        expect((measures['waits.active'] ?? 0) + (measures['waits.idle'] ?? 0)).toBeLessThan(size + 0.5);
    }
  });

  it('is kept with its server, and carries the load of a later run, with the password in no argument', async () => {
    tiny.define(oneBlock);
    const loaded = await tiny.run('load', 'tiny', ...onFolders).ended;
    expect(loaded.exitCode, loaded.stderr).toBe(0);
    const servers = serversIn(tiny.temporary);
    const kept = path.join(servers, '../kept.json');
    const { variants } = JSON.parse(readFileSync(kept, 'utf8')) as { variants: { target: Target }[] };
    const target = variants.find(({ target: { server } }) => server === 'transaction')?.target;
    if (!target?.pooler) throw new Error('no pooler was kept');
    const { rows } = await queryOn<{ port: number }>(
      { ...target, ...target.pooler, database: 'postgres' },
      'SHOW port',
    );
    expect(rows).toEqual([{ port: String(target.port) }]);
    const password = readFileSync(path.join(servers, 'transaction.pgpass'), 'utf8').trim().split(':').at(-1) ?? '';
    const poolers = programsBelow(tiny.temporary, 'pgbouncer');
    expect(poolers).toHaveLength(2);
    for (const pid of poolers) {
      const shown = readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readFileSync(`/proc/${pid}/environ`, 'latin1');
      expect(shown).not.toContain(password);
    }
    const run = await tiny.run('run', 'tiny', '--local').ended;
    expect(run.exitCode, run.stderr).toBe(0);
    expect(readFileSync(path.join(servers, 'transaction.pooler.log'), 'utf8')).toContain('login attempt: db=pgduet');
    expect((await tiny.run('clean').ended).exitCode).toBe(0);
    tiny.expectNothingLeft();
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('is gone after %s and clean', async (how) => {
    tiny.define({ ...oneBlock, workload: { ...oneBlock.workload, durationSeconds: 30 } });
    const command = tiny.loadRun('-v');
    await command.shown('loaded transaction');
    await tiny.underLoad();
    expect(programsBelow(tiny.temporary, 'pgbouncer')).toHaveLength(2);
    command.process.kill(how);
    await command.ended;
    if (how === 'SIGKILL') {
      expect(processesBelow(tiny.temporary)).not.toEqual([]);
      expect((await tiny.run('clean').ended).exitCode).toBe(0);
    }
    tiny.expectNothingLeft();
  });

  it('that ends fails the trials of its variant', async () => {
    tiny.define({ ...oneBlock, workload: { ...oneBlock.workload, durationSeconds: 20 } });
    // With this seed, a variant with a pooler is measured first. A server that is lost ends the run after its block.
    const command = tiny.loadRun('--seed', '1', '-v');
    await command.shown('loaded transaction');
    await tiny.underLoad();
    for (const pid of programsBelow(tiny.temporary, 'pgbouncer')) process.kill(pid, 'SIGKILL');
    expect((await command.ended).exitCode).toBe(1);
    const { trials } = tiny.result();
    const pooled = trials.filter(({ conditions }) => conditions.variant !== 'direct');
    expect(pooled).not.toEqual([]);
    for (const { state } of pooled) expect(state).toBe('failed');
    tiny.expectNothingLeft();
  });
});

const program = pathOfProgram('pgbouncer') ?? 'pgbouncer';
const { stdout } = await askProgram([program, '--version'], { signal: AbortSignal.timeout(10_000) });
const forgets = /^PgBouncer 1\.(\d|1\d|20)\./.test(stdout);

test.runIf(forgets)('prepared statements in transaction mode are refused before anything is made', async () => {
  tiny.define({ ...oneBlock, workload: { ...oneBlock.workload, queryMode: 'prepared' } });
  expect(await tiny.refused()).toContain('variants.transaction.pooler.mode is transaction');
});
