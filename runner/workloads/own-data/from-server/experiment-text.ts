import { percent } from '../../../contract/format.ts';
import { scriptText } from './script.ts';
import type { ServiceLoad, WeighedStatement } from './service-load.ts';

/** Where the load of a service is written to. */
export interface LoadFiles {
  /** Of the experiment, and of the folder beside it. */
  name: string;
  service: string;
  /** As the experiment names it. */
  dump: string;
  writes: boolean;
}

/** The experiment file. Its variants and its question are the user’s to change. */
export function experimentText(
  { statements, covered, callsPerSecond, sizeBytes }: ServiceLoad,
  files: LoadFiles,
): string {
  const { name, service, dump, writes } = files;
  const scripts = statements.flatMap((one) =>
    one.name === null || one.weight === null ? [] : [`    - { file: ${name}/${one.name}.sql, weight: ${one.weight} }`],
  );
  const rate =
    callsPerSecond === null
      ? []
      : [
          `  # rate: ${roundedRate(callsPerSecond * covered.calls)} # calls a second, as they were on the service; without it, as many as the server can do`,
        ];
  return `# yaml-language-server: $schema=./experiment.schema.json
# The load of the service ${service}, from its pg_stat_statements: ${covered.statements} of ${statements.length} statements, with ${percent(covered.calls)} of the calls
# and ${percent(covered.time)} of the time. Each statement is its own transaction. To make the experiment yours, change the variants and
# the question.
name: ${name}
question: Do our statements get faster if the planner expects random reads to be cheap?

common: # what every variant has
  storage: { type: local }
variants: # what differs: any settings of PostgreSQL
  as-it-is: { engine: { parameters: { random_page_cost: 4 } } }
  cheap-reads: { engine: { parameters: { random_page_cost: 1.1 } } }
baseline: as-it-is # the other is compared with it

workload:
  tool: own-data
  load: { dump: ${dump}, sizeGib: ${Math.max(0.01, Math.ceil((sizeBytes / 2 ** 30) * 100) / 100)} }
  scripts:
${scripts.join('\n')}
  clients: 8 # how many send statements at once
  threads: 2 # of pgbench
${[...rate, '  durationSeconds: 30 # of one trial'].join('\n')}

protocol:
  blocks: 6 # each block measures every variant once, in random order
  warmUpSeconds: 10
${writes ? '' : '  reset: [checkpoint] # nothing is written, so the data need not be restored\n'}decision: { metric: tps, practicalThreshold: 0.05 } # a change below 5% would not matter to you

profiles:
  local: {} # nothing to change: this experiment is for this machine
  smoke: { workload: { durationSeconds: 2 }, protocol: { blocks: 2, repeats: 0, warmUpSeconds: 0 } } # does everything work?
`;
}

/** The scripts by their names as the experiment has them. */
export function scriptFiles({ statements }: ServiceLoad, { name, service }: LoadFiles): Record<string, string> {
  return Object.fromEntries(
    statements.flatMap((one) =>
      one.script ? [[`${name}/${one.name ?? ''}.sql`, scriptText(one.script, headOf(one, service))]] : [],
    ),
  );
}

function headOf({ callShare, timeShare, seconds, calls }: WeighedStatement, service: string): string[] {
  const mean = (seconds / calls) * 1000;
  return [
    `On the service ${service}: ${percent(callShare)} of the calls, ${percent(timeShare)} of the time, ${mean.toPrecision(3)} ms each.`,
  ];
}

/** Two digits, but whole from 10 on. */
function roundedRate(perSecond: number): number {
  return perSecond < 10 ? Number(Math.max(0.01, perSecond).toPrecision(2)) : Math.round(perSecond);
}
