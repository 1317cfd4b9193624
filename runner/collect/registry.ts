import { cloudWatch } from '../rds/collect/cloudwatch/collector.ts';
import type { Collector } from './collector.ts';
import { loadGenerator, loadStops } from './driver/load-generator.ts';
import { machine } from './driver/machine.ts';
import { neighbours } from './driver/neighbours.ts';
import { processors } from './driver/processors.ts';
import { runner } from './driver/runner.ts';
import { enhancedMonitoring } from '../rds/collect/enhanced-monitoring/collector.ts';
import { performanceInsights } from '../rds/collect/performance-insights/collector.ts';
import { volumes } from './driver/volumes.ts';
import { checkpoints } from './postgres/checkpoints.ts';
import { commits } from './postgres/commits.ts';
import { database } from './postgres/database.ts';
import { debt } from './postgres/debt.ts';
import { logRate } from './postgres/log/log-rate.ts';
import { loggedCheckpoints } from './postgres/log/logged-checkpoints.ts';
import { replication } from './postgres/replication.ts';
import { serverIo } from './postgres/server-io.ts';
import { serverStart, settings } from './postgres/settings.ts';
import { statements } from './postgres/statements.ts';
import { waitEvents } from './postgres/wait-events.ts';
import { wal } from './postgres/wal.ts';
import { walRate } from './postgres/wal-rate.ts';
import { events } from '../rds/collect/events.ts';
import { storageWork } from '../rds/collect/storage-work.ts';

/**
 * Every source of evidence. The first one is started last and stopped first, so it sees the least of the others'
 * activity. A tool has further sources, for its own logs.
 */
export const collectors: readonly Collector[] = [
  processors,
  neighbours,
  machine,
  loadGenerator,
  loadStops,
  volumes,
  // Encloses the sources that count on this machine.
  runner,
  waitEvents,
  walRate,
  replication,
  serverStart,
  commits,
  wal,
  checkpoints,
  loggedCheckpoints,
  logRate,
  debt,
  serverIo,
  database,
  statements,
  settings,
  events,
  storageWork,
  cloudWatch,
  // After CloudWatch: it needs CloudWatch's writes to find the device of the log volume.
  enhancedMonitoring,
  performanceInsights,
];
