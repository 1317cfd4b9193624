import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { project } from '../../lib/build-options.ts';
import type { Result } from '../../runner/contract/result.ts';
import { saveSample } from '../helpers/samples/saved-sample.ts';
import type { CommandLine } from '../helpers/processes/command-line.ts';
import {
  canContain,
  type Container,
  type ControlGroup,
  controlGroup,
  inContainer,
  withoutIoUring,
} from '../helpers/processes/container.ts';
import { oneBlock, onFolders, TinyRun } from '../helpers/processes/tiny-run.ts';

/** A user whom nobody has given a name. */
const unnamed = 12_345;
const loadRun = ['load-run', 'tiny', ...onFolders];
/** The real programs: the stand-in of the tests for initdb does not ask who it is. */
const programs = { PATH: `${path.dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` };

// Needs bubblewrap, and root to make a container for another user.
describe.skipIf(!canContain())('in a container', () => {
  let tiny: TinyRun;
  let groups: ControlGroup[];

  beforeEach(() => {
    tiny = new TinyRun();
    tiny.define(oneBlock);
    for (const folder of [tiny.folder, path.join(tiny.folder, 'experiments')]) chownSync(folder, unnamed, unnamed);
    // One that cannot be made here is not in the test: its limits are then those of the machine.
    groups = [controlGroup({ memoryBytes: 512 * 2 ** 20 }), controlGroup({ processors: 1 })].filter(
      (one) => one !== null,
    );
  });
  afterEach(() => {
    tiny.remove();
    for (const group of groups) group.remove();
  });

  function run(container: Partial<Container>, ...words: string[]): CommandLine {
    const options = ['--unsetenv', 'HOME', ...(container.options ?? [])];
    const inside = inContainer({ writable: tiny.folder, groups, ...container, options });
    return tiny.runAs({ inside, environment: programs }, ...words);
  }

  /** Gives the user a name. */
  function withName(): string[] {
    const file = path.join(tiny.folder, 'passwd');
    writeFileSync(file, `${readFileSync('/etc/passwd', 'utf8')}somebody:x:${unnamed}:${unnamed}::/nowhere:/bin/sh\n`);
    return ['--ro-bind', file, '/etc/passwd'];
  }

  const bare = ['--tmpfs', '/sys'];
  const needsName = /Could not create the data folder of variant \S+: .*12345.* PostgreSQL needs a name for the user/;

  test.each([
    [loadRun, 2, needsName],
    [['doctor'], 1, needsName],
    [['clean'], 0, /^Nothing to remove|^$/m],
    [['policy', 'dlv-pgbench'], 2, /User 12345 has no login name, .*--owner WHO/],
    [['policy', 'dlv-pgbench', '--owner', 'alice'], 0, /"Version": "2012-10-17"/],
    [['report', 'sample'], 0, /Does a log volume help\?|report\.html/],
  ])(
    'of a user without a name, home, /sys, loop devices and most of the memory, %s ends with a sentence',
    async (words, code, expected) => {
      await saveSample(path.join(tiny.folder, 'sample'));
      spawnSync('chown', ['-R', `${unnamed}:${unnamed}`, tiny.folder], { timeout: 10_000 });
      const { exitCode, stdout, stderr } = await run({ user: unnamed, options: bare }, ...words).ended;
      expect(`${stdout}${stderr}`.replace(/\s+/g, ' ')).toMatch(expected);
      expect(exitCode).toBe(code);
      tiny.expectNothingLeft();
    },
  );

  test('the app of the CDK needs a named owner', () => {
    const synthesize = (...owner: string[]) => {
      const [program = '', ...rest] = inContainer({
        writable: tiny.folder,
        user: unnamed,
        options: ['--chdir', project],
      });
      const context = JSON.stringify({
        experiment: 'dlv-pgbench',
        ...Object.fromEntries(owner.map((one) => ['owner', one])),
      });
      const environment = {
        ...programs,
        TMPDIR: tiny.folder,
        CDK_OUTDIR: path.join(tiny.folder, 'cdk.out'),
        CDK_CONTEXT_JSON: context,
      };
      const command = [...rest, process.execPath, path.join(project, 'dist/compiled/app.mjs')];
      return spawnSync(program, command, { env: environment, encoding: 'utf8', timeout: 120_000 });
    };
    expect(synthesize()).toMatchObject({ status: 2, stderr: expect.stringContaining('no login name') as string });
    expect(synthesize('alice').stderr).not.toContain('login name');
  });

  test('a run without home, /sys, devices, io_uring, most of /proc and a root that it may change gives an answer', async () => {
    const [filter, shown, memory] = ['filter', 'proc', 'memory'].map((name) => path.join(tiny.folder, name)) as [
      string,
      string,
      string,
    ];
    withoutIoUring(filter);
    for (const folder of [shown, memory]) mkdirSync(folder);
    const container = {
      user: unnamed,
      before: `mount -t proc -o subset=pid proc '${shown}'; exec 9<'${filter}'`,
      options: [
        ...[...bare, ...withName(), '--bind', shown, '/proc', '--seccomp', '9'],
        // As a tmpfs for the servers, which shares the memory with them.
        ...['--perms', '1777', '--tmpfs', memory, '--setenv', 'TMPDIR', memory],
      ],
    };
    const { exitCode, stderr } = await run(container, ...loadRun).ended;
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    const { machine, complete, trials } = tiny.result();
    expect(complete).toBe(true);
    expect(machine).toMatchObject({ fileSystem: { type: 'tmpfs' } });
    // Nothing shows what the processors do: that is not known, and no trial is lost by it.
    for (const { measures } of trials) expect(measures['driver.others'] ?? null).toBeNull();
  });

  test('a run on overlayfs that sees no process of others measures within the limits of its control groups', async (context) => {
    context.skip(groups.length < 2, 'this machine limits no memory or processors');
    const layers = path.join(tiny.folder, 'layers');
    const at = (name: string): string => path.join(layers, name);
    const container = {
      user: unnamed,
      before: [
        `mkdir -p '${at('upper')}' '${at('work')}' '${at('root')}' '${at('proc')}'`,
        `mount -t overlay overlay -o 'lowerdir=/,upperdir=${at('upper')},workdir=${at('work')}' '${at('root')}'`,
        `mount -t proc -o hidepid=2 proc '${at('proc')}'`,
      ].join('; '),
      root: at('root'),
      writable: '/mnt',
      options: ['--ro-bind', '/sys', '/sys', '--bind', at('proc'), '/proc', ...withName()],
    };
    const { exitCode, stderr } = await run(container, ...loadRun).ended;
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    const written = path.join(at('upper'), tiny.folder);
    const text = readFileSync(path.join(written, 'results/tiny/latest/result.json'), 'utf8');
    const result = JSON.parse(text) as Result;
    for (const { measures } of result.trials) {
      expect(measures['driver.processors']).toBe(1);
      expect(measures['driver.others']).toBeGreaterThanOrEqual(0);
      expect((measures['driver.others'] ?? NaN) + (measures['driver.own'] ?? NaN)).toBeLessThan(1.2);
    }
    expect(result).toMatchObject({
      complete: true,
      machine: { memoryBytes: 512 * 2 ** 20, processors: 1, fileSystem: { type: 'overlay' } },
    });
    expect(readdirSync(path.join(written, 'tmp'))).toEqual([]);
  });

  test.each([
    ['a user', unnamed, /--volumes limited: limited IOPS need root/],
    ['root', undefined, /--volumes limited: there is no \/dev\/(loop-control|fuse)/],
  ])('without loop devices, limited volumes are refused to %s in a sentence', async (_, user, expected) => {
    // The experiment is theirs.
    for (const folder of [tiny.folder, path.join(tiny.folder, 'experiments')]) chownSync(folder, user ?? 0, user ?? 0);
    const container = { ...(user === undefined ? {} : { user }), options: withName() };
    const { exitCode, text } = await run(container, 'load-run', 'tiny', '--local', '--volumes', 'limited').ended;
    expect(text).toMatch(expected);
    expect(exitCode).toBe(2);
    tiny.expectNothingLeft();
  });

  test.each([loadRun, ['clean'], ['doctor']])(
    'without /proc, a command that needs processes refuses: %s',
    async (...words) => {
      const { exitCode, stdout, stderr } = await run({ user: unnamed, options: ['--tmpfs', '/proc'] }, ...words).ended;
      expect(`${stdout}${stderr}`.replace(/\s+/g, ' ')).toContain('/proc shows no processes here');
      expect(exitCode).toBe(words.includes('doctor') ? 1 : 2);
      tiny.expectNothingLeft();
    },
  );

  test('doctor shows what the limits of control groups leave', async (context) => {
    context.skip(groups.length < 2, 'this machine limits no memory or processors');
    const { exitCode, stdout } = await run({ user: unnamed, options: withName() }, 'doctor').ended;
    expect(stdout).toContain('memory: 0.5 GiB for all servers');
    expect(stdout.replace(/\s+/g, ' ')).toContain('NOT cores pgduet may use only 1 CPU here');
    expect(exitCode).toBe(1);
    tiny.expectNothingLeft();
  });

  test('a server that needs more memory than there is ends the run, which says so and leaves nothing', async (context) => {
    context.skip(groups.length < 2, 'this machine limits no memory or processors');
    tiny.put('eat.sql', "SELECT length(repeat('x', 900 * 1000 * 1000));\n");
    const { workload, ...rest } = oneBlock;
    tiny.define({ ...rest, workload: { ...workload, scripts: [{ file: 'eat.sql' }] } });
    const { exitCode, text } = await run({ user: unnamed, options: withName() }, ...loadRun).ended;
    expect(text).toMatch(
      /Memory ran out: the kernel killed \d+ process(es)?\. pgduet and its servers may use 0\.5 GiB\./,
    );
    expect(exitCode).toBe(2);
    tiny.expectNothingLeft();
  });
});
