import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { assembleResult } from '../../runner/analysis/assemble.ts';
import { openFolder, withKnownDefinition } from '../../runner/analysis/open-result.ts';
import { bindingFile, boundServers, readBinding } from '../../runner/rds/contract/binding.ts';
import { preflightHead, preflightSchema } from '../../runner/contract/probes.ts';
import { resultFile } from '../../runner/contract/result.ts';
import { parseRunStatus, statusFile } from '../../runner/contract/status.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { readRunFolder } from '../../runner/storage/run-folder.ts';
import { folderSeries } from '../../runner/storage/series.ts';

const fixtures = path.resolve(import.meta.dirname, '../fixtures');

/** Folders such as `v2` of one kind of file. */
function versionsOf(kind: string): string[] {
  return readdirSync(path.join(fixtures, kind)).filter((name) => /^v\d+$/.test(name));
}

/** Every file of one kind, of all versions, with its text. */
function filesOf(kind: string): [name: string, text: string][] {
  return versionsOf(kind).flatMap((version) =>
    readdirSync(path.join(fixtures, kind, version)).map((file): [string, string] => {
      const name = `${kind}/${version}/${file}`;
      return [name, readFileSync(path.join(fixtures, name), 'utf8')];
    }),
  );
}

it.each([
  ['results', resultFile],
  ['status', statusFile],
  ['binding', bindingFile],
  ['preflight', preflightHead],
])('there is a fixture of the version of %s that is written today', (kind, { schemaVersion }) => {
  expect(versionsOf(kind)).toContain(`v${schemaVersion}`);
});

describe.each(versionsOf('results'))('a run of version %s', (version) => {
  const folder = path.join(fixtures, 'results', version);

  it('is opened with its result', async () => {
    const { result } = await openFolder(folder);
    expect(result).toMatchObject({
      experiment: { name: 'quick', profile: 'smoke' },
      place: { kind: 'local' },
      complete: true,
      steps: [{ step: 'create' }, { step: 'load' }],
    });
    expect(result.trials).toHaveLength(4);
    expect(result.comparisons.find(({ primary }) => primary)).toMatchObject({
      metric: 'tps',
      verdict: 'descriptive',
      baseline: { variant: 'without-log-volume', n: 2 },
      candidate: { variant: 'with-log-volume', n: 2 },
      pairs: [{ block: 1 }, { block: 2 }],
    });
  });

  it('is compared from its trials as it was then', async () => {
    const { result } = await openFolder(folder);
    const stored = readRunFolder(folder);
    const run = withKnownDefinition(stored.run, folder);
    const again = await assembleResult({ ...stored, run }, { endedAt: result.endedAt }, folderSeries(folder));
    // WAL per second is divided by the length of the load now, and was by the seconds between two snapshots. Of a trial of
    // two seconds, a tenth percentile of them is none, and some have too few transactions for their slowest hundredth.
    const others = ['wal.bytesPerSecond', 'tps.p10', 'latency.p99', 'latency.p999'];
    const asNow = ({ id, measures }: Trial) => [
      id,
      Object.fromEntries(Object.entries(measures).filter(([name]) => !others.includes(name))),
    ];
    expect(again.trials.map(asNow)).toMatchObject(result.trials.map(asNow));
    // A later version may compare more. Every number that this version compared is the same.
    for (const comparison of result.comparisons.filter(({ metric }) => !others.includes(metric))) {
      const { metric, change, interval, pairs } = comparison;
      expect(again.comparisons.find((one) => one.metric === metric)).toMatchObject({ change, interval, pairs });
    }
  });

  it('has series whose sum is what was carried out', async () => {
    for (const trial of readRunFolder(folder).trials) {
      const series = await folderSeries(folder).read(trial);
      const transactions = (series.get('tps') ?? []).reduce((sum, { value }) => sum + value, 0);
      expect(transactions).toBe(trial.measures['transactions']);
      expect(series.get('latency.average')?.length).toBeGreaterThan(0);
    }
  });

  it('has what was found later, in the one trial of which it was found', () => {
    const found = readRunFolder(folder).trials.filter(({ facts }) => facts.events !== undefined);
    expect(found).toMatchObject([{ id: 'block-01-1-with-log-volume', facts: { events: [{ kind: 'other' }] } }]);
  });
});

describe('files that a deployed run leaves in its bucket', () => {
  it.each(filesOf('status'))('%s is read', (name, text) => {
    const status = parseRunStatus(text, name);
    expect(status.state).toBe(path.basename(name, '.json'));
    expect(status.plannedTrials).toBe(4);
    expect(status.trials.length).toBeGreaterThan(0);
    for (const { measures } of status.trials) expect(measures['tps']).toBeGreaterThan(0);
  });

  it.each(filesOf('binding'))('%s is read', (name, text) => {
    const binding = readBinding(text, name);
    expect(binding.results.bucket).toBe('results-bucket');
    const servers: Record<string, string[]> = {
      'cluster.json': ['instance', 'instance', 'cluster'],
      'instances.json': ['instance', 'instance'],
      'replicas.json': Array.from({ length: 6 }, () => 'instance'),
    };
    expect([...boundServers(binding).values()].map(({ kind }) => kind)).toEqual(servers[path.basename(name)]);
  });

  it.each(filesOf('preflight'))('%s is read', (name, text) => {
    const { endedAt, outcomes } = preflightSchema.parse(JSON.parse(text));
    expect(endedAt).not.toBeNull();
    const problems = outcomes.flatMap((outcome) => outcome.problems);
    expect(problems.length > 0).toBe(name.endsWith('failed.json'));
  });
});

it('no fixture tells of the machine that it was made on', () => {
  const here = [hostname(), process.cwd(), '/tmp/', '/root/', '/home/'].filter((word) => word.length > 2);
  for (const kind of ['results', 'status', 'binding', 'preflight']) {
    const folder = path.join(fixtures, kind);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => /\.(json|jsonl|parquet)$/.test(name))) {
      const text = readFileSync(path.join(folder, file), 'latin1');
      expect(
        here.filter((word) => text.includes(word)),
        file,
      ).toEqual([]);
    }
  }
});
