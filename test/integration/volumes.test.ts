import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PartError } from '../../runner/contract/errors.ts';
import { describeProcess, serverUserProcesses, processesUsing } from '../../runner/places/local/processes.ts';
import { chooseVolumes } from '../../runner/places/local/volumes/choose-volumes.ts';
import { judgeVolumeCheck } from '../../runner/places/local/volumes/measure-volume.ts';
import { loopDevicesIn, mountsIn } from '../../runner/places/local/volumes/mounts.ts';
import { serverUser as userOfServers } from '../../runner/process/rights.ts';
import { releaseVolumes } from '../../runner/places/local/volumes/release-volumes.ts';
import type { Volumes } from '../../runner/places/local/volumes/volume.ts';
import { identityOf } from '../../runner/process/tracked-process.ts';
import { whyNoVolumes } from '../helpers/servers/limited-volumes.ts';

/** The user nobody: a server never runs as root. */
const serverUser = { uid: 65_534, gid: 65_534 };

describe.skipIf(whyNoVolumes !== null)(`limited volumes (${whyNoVolumes ?? 'made here'})`, () => {
  const { signal } = new AbortController();
  let folder: string;
  let volumes: Volumes;

  /** Stops a daemon of the volumes. */
  const hang = (program: string): number => {
    const [victim] = processesIn(folder).filter(({ args }) => args[0] === program);
    if (!victim) throw new Error(`no ${program} runs`);
    process.kill(victim.pid, 'SIGSTOP');
    return victim.pid;
  };
  const choose = () => chooseVolumes('limited', { folder, areLimited: true, say: console.error, signal });

  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'pgduet-test-')));
    // Like a run's folder: the servers' user must be able to pass.
    chmodSync(folder, 0o711);
    volumes = await choose();
  });
  afterEach(async () => {
    await volumes.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are empty, and the user of the servers reaches its own folders in them, but may add none', async () => {
    const volume = await volumes.create({ name: 'a-data', sizeGib: 0.5, iops: 1000 }, signal);
    expect(readdirSync(volume.path)).toEqual([]);
    const own = path.join(volume.path, 'data');
    mkdirSync(own);
    chownSync(own, serverUser.uid, serverUser.gid);
    const touch = (file: string): number | null => spawnSync('touch', [file], { ...serverUser, cwd: '/' }).status;
    expect(touch(path.join(own, 'file'))).toBe(0);
    expect(touch(path.join(volume.path, 'file'))).not.toBe(0);
  });

  it('lend nobody the rights of another user, and hold no devices', async () => {
    const volume = await volumes.create({ name: 'a-data', sizeGib: 0.5, iops: 1000 }, signal);
    const { stdout } = spawnSync('findmnt', ['--noheadings', '--output', 'OPTIONS', volume.path], { encoding: 'utf8' });
    expect(stdout.trim().split(',')).toEqual(expect.arrayContaining(['nosuid', 'nodev']));
  });

  it('nobody else reaches the sockets of a daemon that runs as root, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      await volumes.create({ name: 'a-data', sizeGib: 0.5, iops: 1000 }, signal);
    } finally {
      process.umask(before);
    }
    const sockets = (who: object): string =>
      spawnSync('find', [folder, '-xdev', '-type', 's'], { ...who, cwd: '/', encoding: 'utf8' }).stdout;
    expect(sockets({})).not.toBe('');
    expect(sockets(serverUser)).toBe('');
  });

  it('keep to their IOPS at queue depth 1 and 16', async () => {
    const volume = await volumes.create({ name: 'a-data', sizeGib: 0.5, iops: 500 }, signal);
    const check = await volume.verify(signal);
    expect(check).toMatchObject({ volume: 'a-data', requestedIops: 500 });
    for (const depth of [1, 16]) {
      expect(check?.measuredIops[depth]).toBeLessThan(550);
      // How close it comes to the limit depends on the machine and on its other work.
      expect(check?.measuredIops[depth]).toBeGreaterThan(50);
    }
    expect(readdirSync(volume.path)).toEqual([]);
  });

  it('keep to their throughput where that is the tighter limit', async () => {
    const volume = await volumes.create({ name: 'a-data', sizeGib: 0.5, throughputMibps: 20 }, signal);
    const check = await volume.verify(signal);
    expect(check && judgeVolumeCheck(check).status).not.toBe('above');
    expect((check?.requestedIops ?? 0) * (check?.writeBytes ?? 0)).toBe(20 * 2 ** 20);
  });

  it('have their limit switched while they are in use, each by itself', async () => {
    const one = await volumes.create({ name: 'a-data', sizeGib: 0.5, iops: 10 }, signal);
    const other = await volumes.create({ name: 'a-log', sizeGib: 0.5, iops: 10 }, signal);
    await one.limit(true);
    const [limited, free] = [secondsToWrite(one.path, 40), secondsToWrite(other.path, 40)];
    // 40 synced writes at 10 a second, minus the burst of 1, take 3.9 seconds. The journal's writes come on top.
    expect(limited).toBeGreaterThan(3.7);
    expect(free).toBeLessThan(limited / 2);

    await one.limit(false);
    expect(secondsToWrite(one.path, 40)).toBeLessThan(limited / 2);
  });

  it('have nothing left to write of the time before their limit', async () => {
    const volume = await volumes.create({ name: 'a-data', sizeGib: 0.5, iops: 20 }, signal);
    writeFileSync(path.join(volume.path, 'file'), Buffer.alloc(64 * 2 ** 20));
    await volume.limit(true);
    const start = Date.now();
    expect(spawnSync('sync', ['--file-system', volume.path]).status).toBe(0);
    // 256 writes of 256 KiB, minus the burst of 2, would take twelve seconds.
    expect(Date.now() - start).toBeLessThan(9000);
  });

  it('leave the limit as it was after verifying it', async () => {
    const volume = await volumes.create({ name: 'a-data', sizeGib: 0.5, iops: 10 }, signal);
    await volume.verify(signal);
    // With the limit, it would take at least 9.9 seconds.
    expect(secondsToWrite(volume.path, 100)).toBeLessThan(8);
  });

  it.skipIf(spawnSync('fio', ['--version']).status !== 0)('keep what is written to them (fio, crc32c)', async () => {
    const volume = await volumes.create({ name: 'a-data', sizeGib: 0.5, iops: 4000 }, signal);
    await volume.limit(true);
    const fio = spawnSync(
      'fio',
      [
        '--name=verify',
        `--filename=${path.join(volume.path, 'file')}`,
        '--size=24m',
        '--rw=randwrite',
        '--bsrange=4k-64k',
      ]
        .concat(['--ioengine=libaio', '--iodepth=16', '--direct=1', '--verify=crc32c', '--do_verify=1'])
        .concat(['--verify_fatal=1', '--verify_state_save=0', '--fdatasync=32']),
      { encoding: 'utf8' },
    );
    expect(fio.stderr).toBe('');
    expect(fio.status).toBe(0);
  });

  it('leave nothing mounted, attached or running when removed, twice', async () => {
    await volumes.create({ name: 'a-data', sizeGib: 0.5, iops: 1000 }, signal);
    await volumes.create({ name: 'a-log', sizeGib: 0.5, iops: 500 }, signal);
    expect(leftIn(folder)).toMatchObject({ mounts: 4, devices: 2, processes: 4 });
    await volumes.remove();
    expect(leftIn(folder)).toEqual({ mounts: 0, devices: 0, processes: 0 });
    await volumes.remove();
    rmSync(folder, { recursive: true });
  });

  it('are removed quickly even where much is still to be written under a low limit', async () => {
    const volume = await volumes.create({ name: 'a-data', sizeGib: 0.5, iops: 20 }, signal);
    await volume.limit(true);
    // It would take 25 seconds.
    writeFileSync(path.join(volume.path, 'file'), Buffer.alloc(128 * 2 ** 20));
    const start = Date.now();
    await volumes.remove();
    expect(Date.now() - start).toBeLessThan(20_000);
    expect(leftIn(folder)).toEqual({ mounts: 0, devices: 0, processes: 0 });
  });

  it.each(['qemu-storage-daemon', 'nbdfuse'])(
    'say so when their %s is killed, and can still be removed',
    async (program) => {
      const volume = await volumes.create({ name: 'a-data', sizeGib: 0.5, iops: 1000 }, signal);
      const other = await volumes.create({ name: 'a-log', sizeGib: 0.5, iops: 1000 }, signal);
      const [victim] = processesIn(folder).filter(({ args }) => args[0] === program);
      const aborted = once(volume.failed, 'abort');
      process.kill(victim?.pid ?? 0, 'SIGKILL');
      await aborted;
      expect(String(volume.failed.reason)).toMatch(/The volume a-data broke: .*SIGKILL/);
      expect(() => writeSynced(path.join(volume.path, 'file'), 1)).toThrow();
      await expect(volume.limit(true)).rejects.toThrow('The volume a-data broke');
      writeSynced(path.join(other.path, 'file'), 1);
      expect(other.failed.aborted).toBe(false);
      await volumes.remove();
      expect(leftIn(folder)).toEqual({ mounts: 0, devices: 0, processes: 0 });
    },
  );

  it('can be removed while their daemon hangs, which is ended before anything waits for it', async () => {
    const volume = await volumes.create({ name: 'a-data', sizeGib: 0.5, iops: 1000 }, signal);
    writeFileSync(path.join(volume.path, 'file'), 'not yet on disk');
    hang('qemu-storage-daemon');
    // Otherwise it would take the ten seconds after which an unmounting is given up.
    const begun = performance.now();
    await volumes.remove();
    expect(performance.now() - begun).toBeLessThan(9500);
    expect(leftIn(folder)).toEqual({ mounts: 0, devices: 0, processes: 0 });
  });

  it('that break before they are verified are named, whatever code the system gives', async () => {
    const volume = await volumes.create({ name: 'a-data', sizeGib: 0.25, iops: 1000 }, signal);
    const [victim] = processesIn(folder).filter(({ args }) => args[0] === 'nbdfuse');
    process.kill(victim?.pid ?? 0, 'SIGKILL');
    const verified = volume.verify(signal);
    await expect(verified).rejects.toBeInstanceOf(PartError);
    await expect(verified).rejects.toThrow('The volume a-data broke: ');
  });

  it('that hang while they are verified hold up nobody who interrupts that', async () => {
    const volume = await volumes.create({ name: 'a-data', sizeGib: 0.5, iops: 1000 }, signal);
    for (const seconds of [0, 0.5, 1.5]) {
      const stopped = new AbortController();
      const verifying = volume.verify(stopped.signal);
      const refused = expect(verifying).rejects.toThrow('enough');
      await sleep(seconds * 1000);
      const pid = hang('qemu-storage-daemon');
      await sleep(500);
      const begun = performance.now();
      stopped.abort(new Error('enough'));
      await refused;
      expect(performance.now() - begun).toBeLessThan(9000);
      process.kill(pid, 'SIGCONT');
      // What hung is carried out now, also the making of this folder. The next round makes it anew.
      writeSynced(path.join(volume.path, 'file'), 1);
      await sleep(500);
      rmSync(path.join(volume.path, 'pgduet-limit-check'), { recursive: true, force: true });
    }
  });

  it('outlive whoever made them when that is killed, and are then let go, with no one else’s', async () => {
    const bystander = await volumes.create({ name: 'b-data', sizeGib: 0.25, iops: 200 }, signal);
    const dead = `${folder}-dead`;
    mkdirSync(dead);
    const maker = makeVolumeIn(dead);
    await once(maker.stdout, 'data');
    maker.kill('SIGKILL');
    await once(maker, 'exit');
    expect(leftIn(dead)).toEqual({ mounts: 2, devices: 1, processes: 2 });

    await releaseVolumes(dead);
    expect(leftIn(dead)).toEqual({ mounts: 0, devices: 0, processes: 0 });
    rmSync(dead, { recursive: true });
    writeSynced(path.join(bystander.path, 'file'), 1);
    expect(leftIn(folder)).toEqual({ mounts: 2, devices: 1, processes: 2 });
  });

  it('leave nothing of a killed maker either, whatever characters the path of their folder has', async () => {
    const dead = path.join(folder, 'say "a", b');
    mkdirSync(dead);
    const maker = makeVolumeIn(dead);
    await once(maker.stdout, 'data');
    maker.kill('SIGKILL');
    await once(maker, 'exit');
    expect(printingInto(dead)).toHaveLength(2);
    await releaseVolumes(dead);
    expect(printingInto(dead)).toEqual([]);
    expect(mountsIn(dead)).toEqual([]);
  });

  it('leave nothing of a maker either that was killed while it measured', async () => {
    const dead = path.join(folder, 'dead');
    mkdirSync(dead);
    const maker = makeVolumeIn(dead, 'measured');
    await once(maker.stdout, 'data');
    while (!processesUsing(dead).some((one) => describeProcess(one).includes('dd'))) await sleep(20);
    maker.kill('SIGKILL');
    await once(maker, 'exit');
    await releaseVolumes(dead);
    expect(leftIn(dead)).toEqual({ mounts: 0, devices: 0, processes: 0 });
  });

  it('let go of no process that only names their folder', async () => {
    const pidFile = path.join(folder, 'bystander');
    const bystander = spawn('qemu-storage-daemon', ['--pidfile', pidFile]);
    const ended = once(bystander, 'exit');
    while (!existsSync(pidFile)) await sleep(20);
    await releaseVolumes(folder);
    await sleep(100);
    expect(bystander).toMatchObject({ exitCode: null, signalCode: null });
    bystander.kill('SIGKILL');
    await ended;
  });

  it.each(['private', 'slave'])(
    'are let go where a mount namespace that began meanwhile has copies of them (%s), and what runs in it goes on',
    async (propagation) => {
      const volume = await volumes.create({ name: 'a-data', sizeGib: 0.25, iops: 200 }, signal);
      writeFileSync(path.join(volume.path, 'file'), 'not yet on disk');
      const { uid, gid } = userOfServers();
      const asServer = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', 'sleep', '60'];
      const user = spawn('unshare', ['--mount', '--propagation', propagation, ...asServer], { cwd: '/' });
      const ended = once(user, 'exit');
      const itsMounts = (): string => readFileSync(`/proc/${user.pid ?? 0}/mountinfo`, 'utf8');
      while (!describeProcess(identityOf(user.pid ?? 0)).includes('sleep')) await sleep(20);
      expect(itsMounts()).toContain(volume.path);
      expect(serverUserProcesses(folder)).toEqual([]);
      await volumes.remove();
      expect(leftIn(folder)).toEqual({ mounts: 0, devices: 0, processes: 0 });
      rmSync(folder, { recursive: true });
      expect(itsMounts()).not.toContain(folder);
      expect(user).toMatchObject({ exitCode: null, signalCode: null });
      user.kill('SIGKILL');
      await ended;
    },
  );

  it.each([
    ['works in one', (volume: string) => spawn('sleep', ['60'], { cwd: volume }), true],
    ['has one mounted elsewhere', (volume: string) => spawn('unshare', mountedElsewhere(volume), { cwd: '/' }), false],
  ])('are ended while another user’s process %s; what goes only with it is named', async (_, start, isNamed) => {
    const volume = await volumes.create({ name: 'a-data', sizeGib: 0.25, iops: 200 }, signal);
    const [device = ''] = loopDevicesIn(folder);
    const user = start(volume.path);
    const ended = once(user, 'exit');
    await sleep(500);
    const released = releaseVolumes(folder);
    await expect(released).rejects.toBeInstanceOf(PartError);
    const by = isNamed ? `process ${user.pid ?? 0} (sleep)` : 'whatever uses it';
    await expect(released).rejects.toThrow(`left ${device} behind, until ${by} ends.`);
    expect(leftIn(folder)).toEqual({ mounts: 0, devices: 0, processes: 0 });
    const file = backingFile(device);
    expect(user).toMatchObject({ exitCode: null, signalCode: null });
    user.kill('SIGKILL');
    await ended;
    // By now another volume may have this device.
    await expect.poll(() => backingFile(device)).not.toBe(file);
  });

  it('are let go where a program waits for a device whose daemon hangs', async () => {
    const volume = await volumes.create({ name: 'a-data', sizeGib: 0.25, iops: 200 }, signal);
    const [device = ''] = loopDevicesIn(folder);
    // As while its file system is made.
    spawnSync('umount', [volume.path]);
    hang('nbdfuse');
    const waiting = spawn('dd', [`if=${device}`, 'of=/dev/null', 'iflag=direct', 'count=1']);
    const ended = once(waiting, 'exit');
    await sleep(500);
    await releaseVolumes(folder);
    expect(leftIn(folder)).toEqual({ mounts: 0, devices: 0, processes: 0 });
    await ended;
  });

  it('are let go by nobody who is interrupted', async () => {
    const volume = await volumes.create({ name: 'a-data', sizeGib: 0.25, iops: 200 }, signal);
    const user = spawn('sleep', ['60'], { cwd: volume.path });
    const ended = once(user, 'exit');
    hang('qemu-storage-daemon');
    const interruption = new AbortController();
    setTimeout(() => interruption.abort(), 500);
    const begun = performance.now();
    await expect(releaseVolumes(folder, interruption.signal)).rejects.toThrow('aborted');
    // Without the interruption, it would give up after ten seconds.
    expect(performance.now() - begun).toBeLessThan(9000);
    expect(leftIn(folder)).toEqual({ mounts: 2, devices: 1, processes: 2 });
    user.kill('SIGKILL');
    await ended;
  });

  it('stop the making when asked to', async () => {
    const stopped = new AbortController();
    const making = volumes.create({ name: 'a-data', sizeGib: 0.5 }, stopped.signal);
    stopped.abort(new Error('enough'));
    await expect(making).rejects.toThrow('enough');
    await volumes.remove();
    expect(leftIn(folder)).toEqual({ mounts: 0, devices: 0, processes: 0 });
  });
});

/** Words that mount a volume at a second place in a mount namespace, and wait. */
function mountedElsewhere(volume: string): string[] {
  return ['--mount', 'sh', '-c', 'mount --bind "$0" /mnt && exec sleep 60', volume];
}

/** What the kernel reports as the file of a loop device; null if it has none. */
function backingFile(device: string): string | null {
  try {
    return readFileSync(`/sys/block/${path.basename(device)}/loop/backing_file`, 'utf8');
  } catch {
    return null;
  }
}

/** A process that makes a volume in a folder, says so, and waits. */
function makeVolumeIn(folder: string, ...measured: string[]) {
  const program = path.join(import.meta.dirname, '../helpers/processes/make-volume-then-wait.ts');
  return spawn(process.execPath, [path.resolve('bin/run.mjs'), program, folder, ...measured], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Ids of the processes whose output goes to a file in a folder, by what the kernel says. */
function printingInto(folder: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return readlinkSync(`/proc/${name}/fd/1`).startsWith(`${folder}/`);
    } catch {
      return false;
    }
  });
}

function secondsToWrite(folder: string, writes: number): number {
  const start = performance.now();
  writeSynced(path.join(folder, 'file'), writes);
  return (performance.now() - start) / 1000;
}

function writeSynced(file: string, writes: number): void {
  const descriptor = openSync(file, 'w');
  try {
    for (let write = 0; write < writes; write += 1) {
      writeSync(descriptor, Buffer.alloc(8192), 0, 8192, write * 8192);
      fsyncSync(descriptor);
    }
  } finally {
    closeSync(descriptor);
  }
}

function leftIn(folder: string): { mounts: number; devices: number; processes: number } {
  return {
    mounts: mountsIn(folder).length,
    devices: loopDevicesIn(folder).length,
    processes: processesIn(folder).length,
  };
}

/** Finds processes in another way than the code does: every process that names the folder, whatever it is. */
function processesIn(folder: string): { pid: number; args: string[] }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [{ pid: Number(name), args: readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0') }];
      } catch {
        return [];
      }
    })
    .filter(({ args }) => args.some((arg) => arg.includes(`${folder}/`)))
    .sort((a, b) => a.pid - b.pid);
}
