import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { BucketSeen } from '../oracle/evidence.ts';
import type { DeployedRun } from './deployed-run.ts';

/** Compares what a run has left on its driver with what is in the bucket. */
export function seeBucket(run: DeployedRun): BucketSeen {
  const { objects, binding } = run.account;
  const { prefix } = binding.results;
  const status = objects.get(`${prefix}status.json`)?.body.toString();
  const folder = run.latest();
  const runs = [...objects.keys()].flatMap((key) => /runs\/[^/]+\//.exec(key)?.[0] ?? []);
  const files = folder === null ? [] : filesOf(folder).filter((file) => isPublished(folder, file));
  return {
    status: status === undefined ? null : (JSON.parse(status) as BucketSeen['status']),
    missing: files.filter((file) => {
      const object = objects.get(`${prefix}${runs.at(-1) ?? ''}${file}`);
      return !object?.body.equals(readFileSync(path.join(folder ?? '', file)));
    }),
    files: files.length,
  };
}

/** The logs of a trial that did not finish stay on the driver: a later attempt has logs of the same trial. */
function isPublished(folder: string, file: string): boolean {
  const [trials, id, ...below] = file.split(path.sep);
  if (trials !== 'trials' || below.length < 2) return true;
  const record = path.join(folder, trials, id ?? '', 'trial.json');
  return existsSync(record) && readFileSync(record, 'utf8').includes('"state": "finished"');
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}
