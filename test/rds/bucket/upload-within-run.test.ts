import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Bucket, Sending } from '../../../runner/rds/aws/bucket.ts';
import { UserError } from '../../../runner/contract/errors.ts';
import { type BucketStore, bucketStore } from '../../../runner/rds/bucket/bucket-store.ts';
import { runFolder } from '../../../runner/storage/run-folder.ts';
import { temporaryFolder } from '../../helpers/fakes/fake-run.ts';
import { recordSample } from '../../helpers/samples/sample-result.ts';

const { run } = recordSample({ blocks: 1, trialSeconds: 1 });
const patienceSeconds = 0.5;

/** A run whose uploads this test carries out. */
function uploads(putFile: (sending: Sending, file: string) => Promise<void>) {
  const folder = temporaryFolder();
  const warnings: string[] = [];
  const sent: string[] = [];
  const ended = new AbortController();
  let written = 0;
  const bucket = {
    location: 's3://results/',
    async putFile(name: string, _: string, sending: Sending = {}) {
      sent.push(path.basename(name));
      await putFile(sending, path.basename(name));
      return { sizeBytes: 1, sha256: 'aa' };
    },
    holds: () => Promise.resolve(true),
  } as Partial<Bucket> as Bucket;
  const within = { signal: ended.signal, written: () => written, patienceSeconds };
  const store = bucketStore(runFolder(folder, folder), bucket, (text) => warnings.push(text), within);
  return { store, warnings, sent, ended, heartbeat: () => (written += 1) };
}

/** Waits for ever, unless the signal ends it, as a call to S3 does. */
function silent({ signal }: Sending): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => {
      const { message } = signal.reason as Error;
      reject(new UserError(`s3:PutObject did not get through: ${message}.`, { isTransient: true }));
    });
  });
}

async function secondsToSave(store: BucketStore): Promise<number> {
  const startedAt = performance.now();
  await store.saveRun(run);
  return (performance.now() - startedAt) / 1000;
}

describe('uploads within a run', () => {
  it('cost it once the patience when S3 is silent, with one warning, and nothing more before S3 answers', async () => {
    const { store, warnings, sent } = uploads(silent);
    expect(await secondsToSave(store)).toBeGreaterThan(patienceSeconds * 0.9);
    for (let trial = 0; trial < 20; trial++) await store.saveRun(run);
    expect(sent).toHaveLength(1);
    expect(warnings).toEqual([
      expect.stringMatching(/no response for 0\.5 s\. The results are still in .* pgduet will retry/),
    ]);
  });

  it('go on when S3 has answered something else since, and send what was left', async () => {
    let isSilent = true;
    const { store, warnings, heartbeat, sent } = uploads((sending) => (isSilent ? silent(sending) : Promise.resolve()));
    await store.saveRun(run);
    isSilent = false;
    await store.saveRun(run);
    expect(sent).toEqual(['run.json']);
    heartbeat();
    await store.saveRun(run);
    expect(sent).toEqual(['run.json', 'run.json', 'SHA256SUMS']);
    expect(warnings).toHaveLength(1);
  });

  it('cost it three times the patience at most when they always fail and S3 answers everything else', async () => {
    const { store, heartbeat, sent } = uploads(silent);
    for (let trial = 0; trial < 20; trial++) {
      await store.saveRun(run);
      heartbeat();
    }
    // Each has waited for its whole patience.
    expect(sent.length).toBeLessThanOrEqual(3);
  });

  it('wait for a big file as long as its parts arrive', async () => {
    const { store, warnings } = uploads(async ({ onPart }) => {
      for (let part = 0; part < 24; part++) {
        await new Promise((resolve) => setTimeout(resolve, patienceSeconds * 100));
        onPart?.();
      }
    });
    expect(await secondsToSave(store)).toBeGreaterThan(2 * patienceSeconds);
    expect(warnings).toEqual([]);
  });

  it('end at once when the run ends, without a warning, and what is left is for the end', async () => {
    const reasons: string[] = [];
    const { store, warnings, ended, sent } = uploads((sending) => {
      sending.signal?.addEventListener('abort', () => reasons.push((sending.signal?.reason as Error).message));
      return silent(sending);
    });
    const saving = secondsToSave(store);
    await expect.poll(() => sent, { interval: 5 }).toHaveLength(1);
    ended.abort(new Error('limits.hours'));
    await saving;
    await secondsToSave(store);
    expect(sent).toHaveLength(1);
    expect(reasons).toEqual(['limits.hours']);
    expect(warnings).toEqual([]);
  });
});
