import type { Experiment } from '../../contract/experiment/schema.ts';

/**
 * Whether each AWS source is switched on and queried. A source that is not queried needs no permission and no endpoint.
 */
export interface WantedSources {
  cloudWatch: boolean;
  insights: boolean;
  enhancedMonitoring: boolean;
  /** PostgreSQL's own log, which RDS provides. */
  serverLog: boolean;
}

export function wantedSources({ collect, monitoring }: Pick<Experiment, 'collect' | 'monitoring'>): WantedSources {
  return {
    cloudWatch: collect.includes('cloudwatch'),
    insights: collect.includes('performance-insights') && monitoring.databaseInsights.mode !== 'off',
    enhancedMonitoring: collect.includes('enhanced-monitoring') && monitoring.enhancedMonitoringSeconds > 0,
    serverLog: collect.includes('logged-checkpoints'),
  };
}

/** Services that the driver of any experiment calls, by the names of their endpoints. */
const always = ['cloudformation', 'rds', 's3', 'secretsmanager', 'ssm', 'ssmmessages'];

/**
 * Services that the driver calls, in the order of their names. In the private mode, the stack makes an endpoint for
 * each.
 */
export function calledServices(experiment: Pick<Experiment, 'collect' | 'monitoring'>): string[] {
  const { cloudWatch, insights, enhancedMonitoring } = wantedSources(experiment);
  return [
    ...always,
    ...(cloudWatch ? ['monitoring'] : []),
    ...(insights ? ['pi'] : []),
    ...(enhancedMonitoring ? ['logs'] : []),
  ].sort();
}
