import { describe, expect, it } from 'vitest';
import { propertyIn, type PropertyValue } from '../../../runner/contract/server-property.ts';
import type { RdsProxy } from '../../../runner/rds/deployments/proxy.ts';
import {
  type AskedServer,
  propertyDifferences,
  rdsProperties,
  recordOf,
} from '../../../runner/rds/deployments/server-properties.ts';

const pooler: RdsProxy = { mode: 'rds-proxy', maxConnectionsPercent: 50 };
const asked: AskedServer = {
  variant: {
    deployment: 'single-az',
    class: 'db.r6g.large',
    storage: { type: 'gp3', sizeGib: 500, iops: 13_000, throughputMibps: 600 },
    engine: { version: '16.15' },
    dedicatedLogVolume: true,
    pooler,
  },
  deployment: { multiAz: false },
  experiment: {
    backups: { retentionDays: 1 },
    monitoring: {
      enhancedMonitoringSeconds: 1,
      logRetentionDays: 1,
      databaseInsights: { mode: 'standard', retentionDays: 7 },
    },
  },
  availabilityZone: 'us-east-1a',
  parameterGroup: 'Group',
};
const expected = recordOf((property) => property.asked(asked));

function another(value: PropertyValue | undefined): PropertyValue {
  return typeof value === 'string' ? `${value}-2` : typeof value === 'number' ? value + 1 : value !== true;
}

describe.each(rdsProperties.map(({ id }) => id))('%s', (id) => {
  const changed = recordOf((property) => (property.id === id ? another(property.asked(asked)) : property.asked(asked)));

  it('is asked for by the experiment or by its deploy', () => {
    expect(propertyIn(expected, id)).not.toBeNull();
  });

  it('is a difference if RDS reports anything else, or nothing', () => {
    const missing = recordOf((property) => (property.id === id ? null : property.asked(asked)));
    expect([expected, changed, missing].map((found) => propertyDifferences(expected, found).length)).toEqual([0, 1, 1]);
  });

  it('is none if nothing was asked for', () => {
    const open = recordOf((property) => (property.id === id ? null : property.asked(asked)));
    expect(propertyDifferences(open, changed)).toEqual([]);
  });
});

it.each([
  [{}, 'off'],
  [{ DatabaseInsightsMode: 'standard' }, 'off'],
  [{ PerformanceInsightsEnabled: true }, 'standard'],
  [{ PerformanceInsightsEnabled: true, DatabaseInsightsMode: 'advanced' }, 'advanced'],
] as const)('what RDS reports of Database Insights as %j is %s', (reported, mode) => {
  const [property] = rdsProperties.filter(({ id }) => id === 'databaseInsights');
  expect([property?.instance(reported), property?.cluster(reported)]).toEqual([mode, mode]);
});

it('a record of a server without a proxy does not name one', () => {
  const { pooler: _, ...variant } = asked.variant;
  expect(recordOf((property) => property.asked({ ...asked, variant }))).not.toHaveProperty('pooler');
});

it('a primary with a standby may be in another zone', () => {
  const elsewhere = { ...expected, availabilityZone: 'us-east-1b' };
  expect(propertyDifferences({ ...expected, multiAz: true }, { ...elsewhere, multiAz: true })).toEqual([]);
});
