import { readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { PartError } from '../../../contract/errors.ts';
import { runCommand } from '../../../process/run-command.ts';
import { toolEnvironment } from './programs.ts';
import { onVolume } from './mounts.ts';
import type { VolumeCheck } from '../../place.ts';
import { limitsIn, type VolumeRequest } from './volume.ts';

/**
 * Queue depths to measure. The deepest comes first: it uses up the throttle's burst allowance soonest, so that none is
 * left for the shallow one.
 */
const depths = [16, 1];
/** QEMU lets a tenth of a second's I/O through before it limits (its bucket is avg / 10). */
const drainSeconds = 0.3;
const measureSeconds = 1;
/** Size of each writer's file, which the writer overwrites again and again. */
const fileBytes = 2 ** 21;

/**
 * Writes as fast as the volume allows, with direct I/O, and counts the completed writes at its block device. Takes
 * about three seconds. Leaves no file behind, but leaves the limit on.
 *
 * @throws if the writers fail, or the signal aborts. It then does nothing more on the volume, which may hang
 */
export async function measureVolume(options: {
  request: VolumeRequest;
  /** The volume's block device, such as /dev/loop0. */
  device: string;
  folder: string;
  limit: (on: boolean) => Promise<void>;
  signal: AbortSignal;
}): Promise<VolumeCheck> {
  const { request, device, limit, signal } = options;
  const writeBytes = writeSize(request);
  const scratch = path.join(options.folder, 'pgduet-limit-check');
  const onThisVolume = (work: Promise<unknown>) => onVolume(request.name, work, signal);
  await onThisVolume(mkdir(scratch));
  await onThisVolume(limit(false));
  const files = Array.from({ length: Math.max(...depths) }, (_, number) => path.join(scratch, String(number)));
  for (const file of files) await onThisVolume(writeWhole(file));
  await onThisVolume(limit(true));
  const measuredIops: Record<number, number> = {};
  for (const depth of depths) {
    measuredIops[depth] = await measureWrites(files.slice(0, depth), writeBytes, device, signal);
  }
  await onThisVolume(rm(scratch, { recursive: true }));
  return { volume: request.name, requestedIops: expectedIops(request, writeBytes), writeBytes, measuredIops };
}

/**
 * Bytes of one write: one PostgreSQL page if IOPS are limited. If only the throughput is limited, enough to reach it.
 */
function writeSize({ iops }: VolumeRequest): number {
  return iops === undefined ? 131_072 : 8192;
}

function expectedIops(request: VolumeRequest, writeBytes: number): number {
  const { iops = Infinity, bytesPerSecond = Infinity } = limitsIn(request);
  return Math.min(iops, bytesPerSecond / writeBytes);
}

/**
 * Writes the whole file. The first write to a new block makes the file system write more, which the test must not
 * measure.
 */
function writeWhole(file: string): Promise<void> {
  return writeFile(file, Buffer.alloc(fileBytes), { flag: 'wx', flush: true });
}

/** Completed writes per second, with one writer for each file. */
async function measureWrites(
  files: string[],
  writeBytes: number,
  device: string,
  signal: AbortSignal,
): Promise<number> {
  const stop = new AbortController();
  const writers = files.map((file) => overwrite(file, writeBytes, AbortSignal.any([signal, stop.signal])));
  try {
    return await Promise.race([
      countWrites(device, signal),
      Promise.race(writers).then((stderr) => {
        throw new PartError(`The write test of ${device} failed: ${stderr.trim()}`, 'volume-failed');
      }),
    ]);
  } catch (error) {
    // If the test was interrupted, that is the cause.
    signal.throwIfAborted();
    throw error;
  } finally {
    stop.abort();
    await Promise.allSettled(writers);
  }
}

async function countWrites(device: string, signal: AbortSignal): Promise<number> {
  await sleep(drainSeconds * 1000, undefined, { signal });
  const before = { writes: writesCompleted(device), milliseconds: performance.now() };
  await sleep(measureSeconds * 1000, undefined, { signal });
  const seconds = (performance.now() - before.milliseconds) / 1000;
  return (writesCompleted(device) - before.writes) / seconds;
}

/** The fifth number of the device's statistics, see Documentation/block/stat.rst of Linux. */
function writesCompleted(device: string): number {
  const numbers = readFileSync(`/sys/block/${path.basename(device)}/stat`, 'utf8')
    .trim()
    .split(/\s+/);
  return Number(numbers[4]);
}

/**
 * Writes one block after another until the signal aborts. If the writer ends earlier, it has failed; returns what it
 * printed. If this process is killed, the writer ends by itself, because it would otherwise keep the volume in use for
 * ever. This also holds if the process is killed before the shell has asked for its parent, which is then another one.
 */
async function overwrite(file: string, writeBytes: number, signal: AbortSignal): Promise<string> {
  const dd = `dd if=/dev/zero of="$0" bs=${writeBytes} count=${fileBytes / writeBytes} oflag=direct conv=notrunc status=none`;
  const whileWeLive = `while ${dd} && [ "$PPID" = "$1" ] && kill -0 "$PPID"; do :; done`;
  const { stderr } = await runCommand(['sh', '-c', whileWeLive, file, String(process.pid)], {
    signal,
    environment: toolEnvironment(),
  });
  return stderr;
}

export interface VolumeJudgement {
  /** `above` means that the limit does not hold, so measurements on the volume would be meaningless. */
  status: 'ok' | 'above' | 'below';
  message: string;
}

/** Allowed relative deviation of a volume from its limit. */
const tolerance = 0.1;

/**
 * Judges whether a volume keeps to its limit and reaches it. `below` depends only on the deepest queue: one write at a
 * time cannot reach a high limit on any disk, not even in the cloud.
 */
export function judgeVolumeCheck({ volume, requestedIops, writeBytes, measuredIops }: VolumeCheck): VolumeJudgement {
  const measured = Object.entries(measuredIops)
    .map(([depth, iops]) => ({ depth: Number(depth), iops }))
    .sort((a, b) => a.depth - b.depth);
  const shown = measured
    .map(({ depth, iops }) => `${Math.round(iops)} ${depth === 1 ? 'one at a time' : `at queue depth ${depth}`}`)
    .join(', ');
  const facts = `Volume ${volume}, limited to ${Math.round(requestedIops)} writes of ${writeBytes / 1024} KiB per second: measured ${shown}`;

  if (measured.some(({ iops }) => iops > requestedIops * (1 + tolerance))) {
    return { status: 'above', message: `${facts}. The volume exceeds its limit, so trials on it would mislead.` };
  }
  const deepest = measured.at(-1)?.iops ?? 0;
  if (deepest < requestedIops * (1 - tolerance)) {
    const reachable = Math.floor(deepest * (1 - tolerance));
    return {
      status: 'below',
      message: `${facts}. This machine’s disk is too slow for that limit. Lower the limits of all variants in the same proportion, so that this one is ${reachable} or less.`,
    };
  }
  return { status: 'ok', message: `${facts}.` };
}
