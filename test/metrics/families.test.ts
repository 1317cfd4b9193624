import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isFamily, type Measures, memberName, memberOf, type Metric, partOf } from '../../runner/contract/metric.ts';
import { catalogue, membersIn, metricNamed, metricRank } from '../../runner/metrics/catalogue.ts';
import { comparedMetrics, valueOf } from '../../runner/metrics/value.ts';

const waits = catalogue.find(({ name }) => name === 'waits.<event>') as Metric;

test('a member of a family has its own name and label, and all else of the family', () => {
  expect(memberOf(waits, 'LWLock:WALWrite')).toEqual({
    ...waits,
    name: 'waits.LWLock:WALWrite',
    label: 'LWLock:WALWrite',
  });
  expect(metricNamed('waits.LWLock:WALWrite')).toEqual(memberOf(waits, 'LWLock:WALWrite'));
  expect(metricRank('waits.LWLock:WALWrite')).toBe(catalogue.indexOf(waits));
});

test('what a member is called gives its part back, whatever the part', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fc.constantFrom('io.<backend>', 'volumes.<volume>.writes'),
      (part, name) => {
        expect(partOf({ name }, memberName({ name }, part))).toBe(part);
      },
    ),
  );
  expect(partOf({ name: 'volumes.<volume>.writes' }, 'volumes..writes')).toBeNull();
  expect(partOf({ name: 'volumes.<volume>.writes' }, 'volumes.data.reads')).toBeNull();
});

test('the name of a metric is never taken for a member of a family', () => {
  for (const metric of catalogue) if (!isFamily(metric)) expect(metricNamed(metric.name)).toBe(metric);
  expect(metricNamed('waits.sessions.CPU')?.label).toBe('active sessions in CPU');
  expect(metricNamed('nothing.of.the.kind')).toBeUndefined();
});

test('the members of a family are those that any trial has', () => {
  const trials: { measures: Measures }[] = [
    { measures: { 'waits.IO:WalSync': 0.2, 'waits.active': 3, 'waits.sessions.CPU': 1 } },
    { measures: { 'waits.CPU': 0.1 } },
  ];
  expect(membersIn(waits, trials).map(({ name }) => name)).toEqual(['waits.CPU', 'waits.IO:WalSync']);
  expect(comparedMetrics('time', trials).map(({ name }) => name)).toContain('waits.IO:WalSync');
});

test('an event that a sampled trial did not see has a share of zero, and none where nothing was sampled', () => {
  const [member = waits] = membersIn(waits, [{ measures: { 'waits.CPU': 1 } }]);
  expect(valueOf(member, { measures: { 'waits.active': 2 } })).toBe(0);
  expect(valueOf(member, { measures: { 'waits.active': null } })).toBeNull();
  expect(valueOf(member, { measures: {} })).toBeNull();
});
