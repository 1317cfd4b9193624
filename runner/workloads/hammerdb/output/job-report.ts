import * as z from 'zod';
import type { ToolRun } from '../../../contract/tool-output.ts';
import { unreported } from '../../unreported.ts';
import { procedureSchema, scriptsOf } from './timing.ts';

const count = z.coerce.number().int().nonnegative().nullish().catch(null);
const text = z.string().nullish().catch(null);

/**
 * What `jobs ID summaryjson` writes from HammerDB 6 on. A number may be a text. Where a job has no result, or was not
 * timed, the keys are missing. Source: jobs_summary_json in modules/jobs-1.0.tm.
 */
const reportSchema = z.object({
  schema: z.literal('hammerdb-job-report-v1'),
  job: z.object({
    hdb_version: text,
    database: text,
    database_display: text,
    release: text,
    benchmark: z.string(),
  }),
  benchmark_config: z
    .object({ warehouses: count, virtual_users: count, duration_minutes: count })
    .catch({ warehouses: null, virtual_users: null, duration_minutes: null }),
  result: z
    .object({ active_virtual_users: count, nopm: count, tpm: count })
    .catch({ active_virtual_users: null, nopm: null, tpm: null }),
  response_times: z.object({ rows: z.array(procedureSchema.extend({ name: z.string() })) }).catch({ rows: [] }),
});

type JobReport = z.output<typeof reportSchema>;

/** The runs of TPROC-C in a text that is a report of a job, or a list of them; none if it is another text. */
export function jobReportsIn(text: string): ToolRun[] {
  return reportsIn(text)
    .filter(({ job }) => job.benchmark === 'TPROC-C')
    .map((report, index) => ({ ...asRun(report), place: { run: index + 1, fromLine: 1, toLine: lineCount(text) } }));
}

/** Whether the text is a report of TPROC-H. */
export function queriesOfReport(text: string): boolean {
  return reportsIn(text).some(({ job }) => job.benchmark === 'TPROC-H');
}

function reportsIn(text: string): JobReport[] {
  if (!text.includes('hammerdb-job-report-v1')) return [];
  try {
    const value = z.unknown().parse(JSON.parse(text.replace(/^\ufeff/, '')));
    return [value].flat().flatMap((one) => reportSchema.safeParse(one).data ?? []);
  } catch {
    return [];
  }
}

function lineCount(text: string): number {
  return text.trimEnd().split('\n').length;
}

function asRun({ job, benchmark_config: config, result, response_times: times }: JobReport): ToolRun {
  const { nopm = null, tpm = null, active_virtual_users: active } = result;
  const minutes = config.duration_minutes ?? null;
  const problems = nopm === null ? ['it has no result'] : nopm === 0 ? ['its result is 0 NOPM'] : [];
  return {
    ...unreported,
    tool: 'hammerdb',
    clientVersion: job.hdb_version ? `HammerDB ${job.hdb_version.replace(/^v?/, 'v')}` : null,
    serverVersion: job.release ?? null,
    database: job.database_display ?? job.database ?? null,
    clients: active ?? config.virtual_users ?? null,
    scale: config.warehouses ?? null,
    scripts: scriptsOf(Object.fromEntries(times.rows.map(({ name, ...procedure }) => [name, procedure]))),
    durationSeconds: minutes === null ? null : minutes * 60,
    measures: { nopm, tpm },
    complete: problems.length === 0,
    problems,
    notes: ['a report of a job does not say whether a user failed'],
  };
}
