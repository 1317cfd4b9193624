import type { ParameterValue } from '../../contract/experiment/variant.ts';
import { parseQuantity, unitRatio } from '../../postgres/setting-units.ts';

/**
 * Base unit of the parameters that PostgreSQL lets people write with a unit ('2GB', '5min'). RDS takes plain numbers of
 * that unit only. Source: pg_settings.unit of PostgreSQL 18.
 */
const baseUnits: Record<string, 'ms' | 's' | 'kB' | '8kB' | 'MB'> = {
  authentication_timeout: 's',
  autovacuum_naptime: 's',
  autovacuum_vacuum_cost_delay: 'ms',
  autovacuum_work_mem: 'kB',
  backend_flush_after: '8kB',
  bgwriter_delay: 'ms',
  bgwriter_flush_after: '8kB',
  checkpoint_flush_after: '8kB',
  checkpoint_timeout: 's',
  checkpoint_warning: 's',
  deadlock_timeout: 'ms',
  effective_cache_size: '8kB',
  idle_in_transaction_session_timeout: 'ms',
  idle_session_timeout: 'ms',
  lock_timeout: 'ms',
  log_min_duration_statement: 'ms',
  logical_decoding_work_mem: 'kB',
  maintenance_work_mem: 'kB',
  max_slot_wal_keep_size: 'MB',
  max_wal_size: 'MB',
  min_wal_size: 'MB',
  shared_buffers: '8kB',
  statement_timeout: 'ms',
  temp_buffers: '8kB',
  vacuum_buffer_usage_limit: 'kB',
  vacuum_cost_delay: 'ms',
  wal_buffers: '8kB',
  wal_keep_size: 'MB',
  wal_receiver_timeout: 'ms',
  wal_sender_timeout: 'ms',
  wal_skip_threshold: 'kB',
  wal_writer_delay: 'ms',
  wal_writer_flush_after: '8kB',
  work_mem: 'kB',
};

/** Parameters that take further words besides on and off. RDS takes on and off as words for them, not as 1 and 0. */
const wordParameters = [
  'synchronous_commit',
  'wal_compression',
  'huge_pages',
  'backslash_quote',
  'constraint_exclusion',
];

/** Set in every parameter group unless the experiment says otherwise. A comparison must not depend on a default. */
function pinned(major: number): Record<string, ParameterValue> {
  return {
    checkpoint_completion_target: 0.9,
    checkpoint_timeout: 300,
    // RDS has 2 GB up to 15 and 6 GB from 16: the smaller one would make two majors differ by their checkpoints.
    max_wal_size: major >= 16 ? '6GB' : '2GB',
    'rds.force_ssl': true,
    track_io_timing: true,
    ...(major >= 14 ? { track_wal_io_timing: true } : {}),
  };
}

export interface RdsParameters {
  /** As RDS wants them, sorted by name. */
  values: Record<string, string>;
  problems: { parameter: string; value: ParameterValue; message: string }[];
}

/** The parameter group of one variant: the pinned parameters and those of the experiment, in */
export function rdsParameters(own: Record<string, ParameterValue>, major: number): RdsParameters {
  const result: RdsParameters = { values: {}, problems: [] };
  const wanted = Object.entries({ ...pinned(major), ...own });
  for (const [parameter, value] of wanted.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const converted = rdsValue(parameter, value);
    if (typeof converted === 'string') result.values[parameter] = converted;
    else result.problems.push({ parameter, value, message: converted.problem });
  }
  return result;
}

function rdsValue(parameter: string, value: ParameterValue): string | { problem: string } {
  const text = typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
  if (/^(on|off)$/i.test(text)) {
    if (wordParameters.includes(parameter)) return text.toLowerCase();
    return text.toLowerCase() === 'on' ? '1' : '0';
  }
  const quantity = parseQuantity(text);
  if (!quantity || quantity.unit === null) return text;
  const base = baseUnits[parameter];
  if (base === undefined) return { problem: 'RDS takes a plain number here, in the parameter’s own unit' };
  const ratio = unitRatio(quantity.unit, base);
  if (ratio === null) return { problem: `not a unit of this parameter, which counts in ${base}` };
  const scaled = quantity.number * ratio;
  return Number.isInteger(scaled) ? String(scaled) : { problem: `not a whole number of ${base}` };
}
