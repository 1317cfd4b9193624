import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { withDerived } from '../../../runner/metrics/value.ts';
import { hammerdb } from '../../../runner/workloads/hammerdb/definition.ts';
import { hammerdbSchema } from '../../../runner/workloads/hammerdb/schema.ts';
import { toolOf } from '../../../runner/workloads/registry.ts';
import { parseOutput } from '../../../runner/workloads/hammerdb/output/parse-output.ts';
import { recorded } from '../../helpers/hammerdb/stand-in.ts';
import { ownTemporaryFolder } from '../../helpers/own-temporary-folder.ts';

const tool = toolOf({ tool: 'hammerdb' });
const temporary = ownTemporaryFolder();

const base = { tool: 'hammerdb', warehouses: 4, users: [2, 4], durationMinutes: 3 };

function load(changes: { workload?: object; protocol?: object; more?: string; storage?: string }) {
  const folder = temporary();
  mkdirSync(path.join(folder, 'experiments'), { recursive: true });
  const storage = changes.storage ?? '{ type: local }';
  writeFileSync(
    path.join(folder, 'experiments', 'tprocc.yaml'),
    `name: tprocc
question: Which one?
common: { class: db.m6g.large, engine: { version: '15.18' }, storage: ${storage} }
variants: { a: {}, b: { engine: { parameters: { work_mem: 8MB } } } }
baseline: a
workload: ${JSON.stringify({ ...base, ...changes.workload })}
protocol: ${JSON.stringify({ warmUpSeconds: 120, ...changes.protocol })}
${changes.more ?? ''}
`,
  );
  return loadExperiment('tprocc', { folder }).experiment;
}

it('has what suits HammerDB where the experiment says nothing', () => {
  const experiment = load({});
  expect(experiment.workload).toMatchObject({ allWarehouses: true, keyingAndThinking: false, storedProcedures: true });
  expect(experiment.decision.metric).toBe('nopm');
  expect(experiment.protocol.reset).toEqual(['restore', 'checkpoint']);
});

it('keeps the metric that the experiment declares', () => {
  expect(load({ more: 'decision: { metric: tpm }' }).decision.metric).toBe('tpm');
});

it('takes users as an axis', () => {
  const workload = hammerdbSchema.parse(base);
  expect(tool.axes(workload)).toEqual({ users: [2, 4] });
  expect(hammerdb.shape(tool.resolveLevel(workload, { users: 4 }))).toMatchObject({
    clients: 4,
    durationSeconds: 180,
  });
  expect(tool.axes(hammerdbSchema.parse({ ...base, users: 2 }))).toEqual({});
});

it.each([
  [{ protocol: { phaseSeconds: 60 } }, /phaseSeconds.*expected 0/s],
  [{ protocol: { warmUpSeconds: 90 } }, /warmUpSeconds.*expected 0 or a multiple of 60/s],
  [{ workload: { users: 400 } }, /needs 200 s to start 400 users; expected at least that/],
  [{ workload: { users: [2, 2] } }, /2 is listed twice/],
  [{ workload: { buildUsers: 5 } }, /more users than warehouses; expected at most 4/],
  [{ workload: { archive: 'HammerDB.zip' } }, /expected a release of HammerDB for Linux/],
  [{ workload: { archive: 'HammerDB.tar.gz' } }, /names the file HammerDB.tar.gz, which is not in/],
  [{ more: 'decision: { metric: tps }' }, /does not measure it here: .*\(nopm\).*\(tpm\); declare one of these/],
  [
    { more: 'decision: { metric: latency.p99 }' },
    /does not measure it here: .*\(nopm\).*\(tpm\); declare one of these/,
  ],
  [
    { more: 'network: { mode: private }', storage: '{ type: gp3, sizeGib: 100 }' },
    /network\.mode.*"private": .*HammerDB.* in workload\.archive, or set this to public-driver/,
  ],
])('refuses %j', (changes, message) => {
  expect(() => load(changes)).toThrow(message);
});

it('measures locally without an archive, whatever the network of a deploy would be', () => {
  expect(load({ more: 'network: { mode: private }' }).network.mode).toBe('private');
});

it('has a network by default in which the driver can download HammerDB, unless the experiment names an archive', () => {
  expect(load({}).network).toEqual({ mode: 'public-driver' });
  const archive = path.join(temporary(), 'HammerDB.tar.gz');
  writeFileSync(archive, '');
  expect(load({ workload: { archive } }).network).toEqual({ mode: 'private' });
});

it('takes the archive to the driver', () => {
  expect(tool.files(hammerdbSchema.parse({ ...base, archive: 'a.tar.gz' }))).toEqual(['a.tar.gz']);
  expect(tool.files(hammerdbSchema.parse(base))).toEqual([]);
});

it('has times of procedures as metrics, and nothing that would need transactions per second', () => {
  const [run] = parseOutput(recorded('v6-run.log'));
  const { measures, facts } = hammerdb.measuresOf(run ?? (null as never));
  expect(measures).toMatchObject({
    nopm: 44_994,
    tpm: 103_096,
    runtime: 60,
    'procedures.neword.p95': 0.00223,
    'procedures.slev.average': 0.001331,
  });
  expect(facts.identity).toEqual({
    ...{
      clientVersion: 'HammerDB v6.0',
      database: 'PostgreSQL',
      serverVersion: '15.18 (Debian 15.18-0+deb12u1)',
      warehouses: 2,
      users: 2,
    },
  });
  const derived = withDerived(measures, new Map());
  expect(Object.values(derived).filter((value) => Number.isNaN(value))).toEqual([]);
});

it('says in words what is measured', () => {
  expect(hammerdb.words(hammerdbSchema.parse(base)).summary).toBe(
    'HammerDB with 4 warehouses, 2 and 4 virtual users, no waits, 3 min per trial',
  );
  const programOf = (more: object): unknown =>
    hammerdb.words(hammerdbSchema.parse({ ...base, ...more })).facts.find(([term]) => term === 'program')?.[1];
  expect(programOf({})).toBeUndefined();
  expect(programOf({ archive: 'mine.tar.gz' })).toBe('unpacked from mine.tar.gz');
});
