import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { serverUser } from '../../runner/process/rights.ts';
import { type Canary, makeCanary } from '../helpers/hostile/canary.ts';
import { type Haul, nobody, startNeighbour, type Surroundings } from '../helpers/hostile/neighbour.ts';
import { makeOpenWorld } from '../helpers/hostile/open-world.ts';
import type { CommandLine } from '../helpers/processes/command-line.ts';
import { installedPostgres } from '../helpers/servers/local-cluster.ts';
import { onFolders, tinyExperiment, tinyRun, type TinyRun } from '../helpers/processes/tiny-run.ts';

const asRootOnLinux = process.platform === 'linux' && process.getuid?.() === 0;

/** What was gained, by attempt. */
function gainsOf({ attempts }: Haul): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(attempts).flatMap(([name, { gained }]) => (gained.length > 0 ? [[name, gained]] : [])),
  );
}

/** Attempts that met nothing that was there. */
function notMadeOf({ attempts }: Haul): string[] {
  return Object.entries(attempts).flatMap(([name, { refused }]) =>
    Object.keys(refused).every((code) => code === 'ENOENT') ? [name] : [],
  );
}

describe.skipIf(!asRootOnLinux)('beside a run of root', () => {
  let tiny: TinyRun;
  let canary: Canary;
  let untouched: unknown;
  let surroundings: Omit<Surroundings, 'process'>;

  beforeEach(async () => {
    tiny = tinyRun();
    tiny.define({ ...tinyExperiment, protocol: { blocks: 1, warmUpSeconds: 1, repeats: 0 } });
    canary = makeCanary(tiny.folder);
    untouched = canary.state();
    const { folder: programs } = await installedPostgres();
    const results = path.join(tiny.folder, 'results');
    surroundings = { temporary: tiny.temporary, results, canary: canary.path, programs };
  });

  /** A command that begins, without a umask, when it is told to. */
  function waiting(...words: string[]): { command: CommandLine; begin: () => void } {
    const inside = ['sh', '-c', 'read begin; umask 000; exec "$@"', 'sh'];
    const command = tiny.runAs({ inside }, ...words);
    return { command, begin: () => void command.process.stdin?.end('begin\n') };
  }

  /** In the run's folder, which is not one of those that were laid, nor that of a client. */
  function secrets(): string[] {
    const own = readdirSync(tiny.temporary).filter((name) => /^pgduet-(?!forged|AAAAAA)\w{6}$/.test(name));
    const [servers = ''] = own
      .map((name) => path.join(tiny.temporary, name, 'servers'))
      .filter((one) => existsSync(one));
    const files = readdirSync(servers).filter((name) => name.endsWith('.pgpass'));
    return files.map((file) => readFileSync(path.join(servers, file), 'utf8').trim().split(':').at(-1) ?? '');
  }

  /** Removes what was laid: it belongs to another user, so a run leaves it. */
  function removeWhatWasLaid(): void {
    const laid = ['pgduet-', 'pgduet-AAAAAA', 'pgduet-forged'].map((name) => path.join(tiny.temporary, name));
    expect(laid.filter((one) => !existsSync(one))).toEqual([]);
    for (const one of laid) rmSync(one, { recursive: true });
  }

  /** Both neighbours try everything while a command runs, from before its start until after its end. */
  async function besideCommand(words: readonly string[], during: (command: CommandLine) => Promise<void>) {
    const { command, begin } = waiting(...words);
    const around = { ...surroundings, process: command.process.pid ?? 0 };
    const neighbours = [
      await startNeighbour(nobody, { ...around, prepare: !existsSync(path.join(tiny.temporary, 'pgduet-forged')) }),
      await startNeighbour(serverUser(), { ...around, own: true, plant: true }),
    ] as const;
    begin();
    try {
      await during(command);
      const { exitCode, stderr } = await command.ended;
      expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    } finally {
      command.process.kill();
    }
    const [stranger, server] = [await neighbours[0].end(), await neighbours[1].end()];
    expect([stranger, server].map(gainsOf)).toEqual([{}, {}]);
    expect(canary.state()).toEqual(untouched);
    return { stranger, server };
  }

  test('another user and the user of the servers gain nothing', async () => {
    const passwords: string[] = [];
    const words = ['load-run', 'tiny', '--local', '--volumes', 'limited'];
    const { stranger, server } = await besideCommand(words, async (command) => {
      await command.shown('trial 1 of 2');
      passwords.push(...secrets());
    });
    expect(tiny.result().complete).toBe(true);
    expect(notMadeOf(stranger)).toEqual([]);
    expect(server.planted).toBeGreaterThan(20);
    expect(passwords).toHaveLength(2);
    const heard = stranger.heard.join('\n');
    expect(heard).toContain('pgbench');
    for (const password of passwords) expect(heard).not.toContain(password);
    removeWhatWasLaid();
    tiny.expectNothingLeft();
  });

  test('a server that lays links leads no later command of root astray', async () => {
    const local = ['tiny', ...onFolders];
    expect((await tiny.run('load', ...local).ended).exitCode).toBe(0);
    for (const words of [['run', ...local], ['clean']]) await besideCommand(words, () => Promise.resolve());
    removeWhatWasLaid();
    tiny.expectNothingLeft();
  });

  test('a folder for results that another user has laid is refused', async () => {
    chmodSync(tiny.folder, 0o1777);
    const laid = await startNeighbour(nobody, {
      ...surroundings,
      temporary: tiny.folder,
      process: process.pid,
      prepare: true,
    });
    await laid.end();
    expect(await tiny.refused()).toContain('results belongs to another user (id 65534)');
    expect(canary.state()).toEqual(untouched);
    expect(readdirSync(path.join(tiny.folder, 'results'))).toEqual([]);
  });
});

test.skipIf(!asRootOnLinux)('every attempt gains what was left open', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'open-world-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [temporary, results] = ['tmp', 'results'].map((name) => path.join(folder, name)) as [string, string];
  const { folder: programs } = await installedPostgres();
  const victim = await makeOpenWorld(temporary, results);
  chmodSync(folder, 0o711);
  const canary = makeCanary(folder).path;
  const around = { temporary, results, canary, programs, process: victim };
  const neighbour = await startNeighbour(nobody, { ...around, prepare: true }, '-all,+sys_admin,+sys_ptrace');
  const cached = path.join(temporary, 'tsx-0', 'cached');
  writeFileSync(cached, 'code');
  const { attempts, heard } = await neighbour.end();
  expect(Object.entries(attempts).flatMap(([name, { gained }]) => (gained.length > 0 ? [] : [name]))).toEqual([]);
  expect(heard.join()).toContain('SO_REUSEPORT');
});
