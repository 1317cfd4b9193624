import { Aws, Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, Metric, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { Members } from '../../runner/rds/deployments/deployment.ts';

export interface DashboardVariant {
  readonly name: string;
  /** null if each server is one instance. */
  readonly members: Members | null;
  /** The identifier of each of its servers. */
  readonly identifiers: readonly string[];
  readonly hasLogVolume: boolean;
}

/** Metrics that exist for the data volume and, with the suffix LogVolume, for a dedicated log volume. */
const volumeMetrics = [
  'WriteIOPS',
  'WriteThroughput',
  'WriteLatency',
  'DiskQueueDepth',
  'ReadIOPS',
  'ReadThroughput',
  'ReadLatency',
  'FreeStorageSpace',
];

const databaseMetrics = [
  'CPUUtilization',
  'DatabaseConnections',
  'TransactionLogsGeneration',
  'TransactionLogsDiskUsage',
  'OldestReplicationSlotLag',
];

const columns = 24;

/**
 * A column for each variant and a row for each metric. A graph shows the data volume and the log volume of every
 * replica.
 */
export class ExperimentDashboard extends Construct {
  readonly url: string;

  constructor(scope: Construct, id: string, title: string, variants: readonly DashboardVariant[]) {
    super(scope, id);
    const width = Math.max(6, Math.floor(columns / variants.length));
    const row = (metricName: string, lines: (variant: DashboardVariant) => IMetric[]) =>
      variants.map(
        (variant) =>
          new GraphWidget({
            title: `${metricName}: ${variant.name}`,
            left: lines(variant),
            width,
            height: 5,
            leftYAxis: { min: 0 },
          }),
      );
    const dashboard = new Dashboard(this, 'Dashboard', {
      defaultInterval: Duration.hours(12),
      widgets: [
        [new TextWidget({ markdown: `# ${title}\nOne column for each variant.`, width: columns, height: 2 })],
        ...volumeMetrics.map((name) =>
          row(name, (variant) => [
            ...metrics(variant, name, 'data volume'),
            ...(variant.hasLogVolume ? metrics(variant, `${name}LogVolume`, 'log volume') : []),
          ]),
        ),
        ...databaseMetrics.map((name) => row(name, (variant) => metrics(variant, name, name))),
        ...(variants.some(({ members }) => members)
          ? [row('ReplicaLag', (variant) => metrics(variant, 'ReplicaLag', 'ReplicaLag'))]
          : []),
      ],
    });
    const { ref } = dashboard.node.defaultChild as unknown as { ref: string };
    this.url = `https://${Aws.REGION}.console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards:name=${ref}`;
  }
}

/** The metric of each server. If there are several, its label has the number of the replica. */
function metrics({ members, identifiers }: DashboardVariant, metricName: string, label: string): IMetric[] {
  return identifiers.flatMap((identifier, index) => {
    const serverLabel = identifiers.length === 1 ? label : `${label} ${index + 1}`;
    if (!members) return [metric(identifier, metricName, serverLabel)];
    return members
      .names(identifier)
      .map((member, place) => metric(member, metricName, `${serverLabel}, instance ${place + 1}`));
  });
}

function metric(identifier: string, metricName: string, label: string): Metric {
  return new Metric({
    namespace: 'AWS/RDS',
    metricName,
    dimensionsMap: { DBInstanceIdentifier: identifier },
    statistic: 'Average',
    label,
    period: Duration.minutes(1),
  });
}
