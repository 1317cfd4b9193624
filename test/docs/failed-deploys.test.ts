import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { stackPrice } from '../../runner/rds/prices/bill.ts';
import { maxDollars } from '../../runner/rds/prices/margin.ts';
import { deployable } from '../../runner/rds/deploy/deployable.ts';
import { placeOf } from '../../runner/places/registry.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { documentedBills } from '../helpers/rehearsed-bills.ts';
import { bootSeconds, creationTimeoutSeconds, provisionSeconds } from '../../runner/rds/contract/waiting-times.ts';

const project = path.resolve(import.meta.dirname, '../..');
const experiments = ['dlv-pgbench', 'dlv-tprocc-multi-az'];

/** The rows of the table: what bills, for how many minutes, and dollars for each of the experiments. */
function rows(): { parts: 'whole' | 'withoutDatabases'; minutes: number; dollars: number[] }[] {
  const text = readFileSync(path.join(project, 'docs/costs.md'), 'utf8');
  const [, section = ''] = text.split('## What a failed deploy costs\n');
  const cells = section
    .split('\n## ')[0]
    ?.split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()));
  let minutes = NaN;
  return (cells ?? []).map(([, , bills = '', time = '', ...dollars]) => {
    // "the same" stands for the row above.
    minutes = Number(/^\d+/.exec(time)?.[0] ?? minutes);
    return {
      parts: bills === 'everything' ? 'whole' : 'withoutDatabases',
      minutes,
      dollars: dollars.slice(0, experiments.length).map(Number),
    };
  });
}

it('the documentation says of each failure of a deploy what it costs at most', () => {
  const found = rows();
  expect(found).toHaveLength(7);
  for (const { parts, minutes, dollars } of found) {
    const computed = experiments.map((name) => {
      const { experiment, profile } = loadExperiment(name, { folder: project });
      const perHour = stackPrice(deployable(experiment, profile), 'us-east-1')?.[parts] ?? NaN;
      return Number(((perHour * minutes) / 60).toFixed(2));
    });
    expect(dollars, `${parts} for ${minutes} minutes`).toEqual(computed);
  }
});

it('a failure before there are databases costs less than five dollars', () => {
  const before = rows().filter(({ parts }) => parts === 'withoutDatabases');
  expect(before.map(({ minutes }) => minutes)).toEqual([
    bootSeconds / 60 + 5,
    bootSeconds / 60 + 5,
    (bootSeconds + provisionSeconds) / 60 + 5,
  ]);
  for (const { dollars } of before) for (const one of dollars) expect(one).toBeLessThan(5);
});

it('a database that is never made ends the deploy with the time of its condition and of a deletion', () => {
  expect(rows().map(({ minutes }) => minutes)).toContain(creationTimeoutSeconds / 60 + 10);
});

it('the documentation says of each smoke profile what its stack costs at most', () => {
  const text = readFileSync(path.join(project, 'docs/costs.md'), 'utf8');
  const [, section = ''] = text.split('## What a stack costs at most\n');
  const found = [
    ...(section.split('\n## ')[0] ?? '').matchAll(/^\| `([a-z-]+)` +\| ([\d.]+) +\| ([\d.]+) +\| ([\d.]+) +\|$/gm),
  ];
  const billed = shippedExperiments().filter((name) => {
    const { experiment } = loadExperiment(name, { folder: project, profile: 'smoke' });
    return experiment.limits.dollars !== undefined;
  });
  expect(found.map(([, name]) => name)).toEqual(billed);
  for (const [, name = '', ...numbers] of found) {
    const { experiment, profile } = loadExperiment(name, { folder: project, profile: 'smoke' });
    const perHour = stackPrice(deployable(experiment, profile), 'us-east-1')?.whole ?? NaN;
    const limit = experiment.limits.dollars ?? NaN;
    const computed = [limit, perHour, Number(maxDollars(limit, perHour).toFixed(2))];
    expect(numbers.map(Number), name).toEqual(computed);
    expect(experiment.expiry).toEqual({ kind: 'after', hours: 3 });
  }
});

it('the documented rehearsal stays within its limit and the margin, with the prices of today', () => {
  const profile = 'bill';
  const { experiment } = loadExperiment('test/rehearsal/experiments/endings.yaml', { folder: project, profile });
  const perHour = stackPrice(deployable(experiment, profile), 'us-east-1')?.whole ?? NaN;
  const { bills, maxDollars: documented } = documentedBills();
  expect(documented).toBe(Number(maxDollars(experiment.limits.dollars ?? NaN, perHour).toFixed(2)));
  expect(bills.length).toBeGreaterThanOrEqual(14);
  for (const { what, noticeMinutes, goneMinutes, dollars } of bills) {
    expect(dollars, what).toBeLessThanOrEqual(documented);
    // Minutes are rounded up, and the driver costs some cents before there are databases.
    expect(Math.abs(dollars - ((goneMinutes ?? noticeMinutes) / 60) * perHour), what).toBeLessThan(perHour / 60);
  }
});

it('the first deploy costs less than the 25 dollars that README promises', () => {
  const { experiment, profile } = loadExperiment('dlv-pgbench', { folder: project, profile: 'smoke' });
  const perHour = stackPrice(deployable(experiment, profile), 'us-east-1')?.whole ?? NaN;
  expect(maxDollars(experiment.limits.dollars ?? NaN, perHour)).toBeLessThan(25);
  expect(readFileSync(path.join(project, 'README.md'), 'utf8')).toContain('up to 25 dollars in all');
});

function shippedExperiments(): string[] {
  const names = readdirSync(path.join(project, 'experiments')).flatMap((name) => /^(.*)\.yaml$/.exec(name)?.[1] ?? []);
  return names.filter((name) => {
    const { experiment, profile } = loadExperiment(name, { folder: project });
    return placeOf(experiment).isDeployed && profile !== 'local';
  });
}
