import { describe, expect, it } from 'vitest';
import { deployable } from '../../../runner/rds/deploy/deployable.ts';
import { fixedAtCreation, loadedData } from '../../../runner/rds/deploy/fixed-at-creation.ts';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { project } from '../../helpers/synthesize.ts';

function profileOf(profile: string) {
  const { experiment } = loadExperiment('dlv-pgbench', { folder: project, profile });
  return deployable(experiment, profile);
}
const full = profileOf('full');

describe('what is fixed when a stack is made', () => {
  it('can be read, and ends in a hash of all of it', () => {
    expect(fixedAtCreation(full, ['another script'])).not.toBe(fixedAtCreation(full, ['a script']));
    expect(fixedAtCreation(full)).toMatch(
      /^with-dlv \(db\.r5\.16xlarge, single-az, PostgreSQL 15\.19, io2 1024 GiB 10000 IOPS, log volume\), without-dlv \(.*\), driver r5\.4xlarge, network private \[[0-9a-f]{12}\]$/,
    );
  });

  it('is the same for profiles that differ in protocol and load only', () => {
    for (const profile of ['smoke', 'published', 'crossover']) {
      expect(fixedAtCreation(profileOf(profile)), profile).toBe(fixedAtCreation(full));
    }
  });

  it('does not depend on the order of the variants, nor on their descriptions', () => {
    const turned = Object.entries(full.variants).reverse();
    const variants = Object.fromEntries(turned.map(([name, variant]) => [name, { ...variant, description: 'other' }]));
    expect(fixedAtCreation({ ...full, variants })).toBe(fixedAtCreation(full));
  });

  it.each([
    ['the number of replicas', profileOf('replicas')],
    ['the driver', { ...full, driver: { ...full.driver, volumeGib: 200 } }],
    ['the backups', { ...full, backups: { ...full.backups, retentionDays: 2 } }],
    ['the tags', { ...full, tags: { team: 'a' } }],
    ['the monitoring', { ...full, monitoring: { ...full.monitoring, logRetentionDays: 7 as const } }],
  ])('differs with %s', (_, experiment) => {
    expect(fixedAtCreation(experiment)).not.toBe(fixedAtCreation(full));
  });

  it('differs with a parameter of PostgreSQL alone, although the summary does not', () => {
    const { 'with-dlv': variant } = full.variants;
    if (!variant) throw new Error('no such variant');
    const engine = { ...variant.engine, parameters: { ...variant.engine.parameters, commit_delay: '1' } };
    const other = fixedAtCreation({ ...full, variants: { ...full.variants, 'with-dlv': { ...variant, engine } } });
    expect(other).not.toBe(fixedAtCreation(full));
    expect(other.replace(/\[.*/, '')).toBe(fixedAtCreation(full).replace(/\[.*/, ''));
  });

  it('fits into a stack parameter, however many variants there are', () => {
    const many = Array.from({ length: 60 }, (_, index) => [`variant-${index}`, Object.values(full.variants)[0]]);
    const variants = Object.fromEntries(many) as typeof full.variants;
    expect(Buffer.byteLength(fixedAtCreation({ ...full, variants }))).toBeLessThan(4096);
  });
});

describe('what databases are loaded with', () => {
  it('differs with the scale, and not with what is done to the data', () => {
    const { workload } = full;
    expect(loadedData(workload, {})).toMatch(/^pgbench \{"scale":10000,.*\} \[[0-9a-f]{12}\]$/);
    expect(loadedData({ ...workload, clients: 1, durationSeconds: 1 }, {})).toBe(loadedData(workload, {}));
    expect(loadedData({ ...workload, scale: 50 }, {})).not.toBe(loadedData(workload, {}));
  });

  it('differs with what is in a file that is loaded, and not with a script', () => {
    const workload = {
      tool: 'own-data',
      load: { dump: 'app.dump', files: [] },
      scripts: [{ file: 'mix.sql', weight: 1 }],
    };
    const hashes = { 'app.dump': 'aa', 'mix.sql': 'bb' };
    expect(loadedData(workload, hashes)).toContain('"sha256":{"app.dump":"aa"}');
    expect(loadedData(workload, { ...hashes, 'mix.sql': 'cc' })).toBe(loadedData(workload, hashes));
    expect(loadedData(workload, { ...hashes, 'app.dump': 'cc' })).not.toBe(loadedData(workload, hashes));
  });
});
