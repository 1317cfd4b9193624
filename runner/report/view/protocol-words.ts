import type { Result } from '../../contract/result.ts';
import { chosenDuration, countInWords, levelPercent, percent } from '../words/quantities.ts';
import { metricWords } from '../words/metrics.ts';

/** How it was measured: pairs of a term and what is to be said of it. */
export function protocolWords(result: Result): [term: string, words: string][] {
  const { experiment, place, startedAt, endedAt, toolVersion, trials } = result;
  const { protocol, workload, decision } = experiment.definition;
  const clientVersions = new Set(
    trials.flatMap((trial) => (trial.state === 'finished' && trial.run.clientVersion ? [trial.run.clientVersion] : [])),
  );
  const methods = [
    ...new Set(
      result.comparisons.filter(({ primary }) => primary).map(({ method, scope }) => `${method}; ${scopeWords[scope]}`),
    ),
  ];
  return [
    ['Place', place.description],
    ['Workload', describeWorkload(workload)],
    [
      'Order',
      `${countInWords(protocol.blocks)} ${protocol.blocks === 1 ? 'block' : 'blocks'} planned${stoppingWords(result)}; ${orderWords[protocol.order]} (seed ${experiment.seed})`,
    ],
    ['Before each trial', describePreparation(protocol)],
    [
      'Decision',
      `${metricWords({ metric: decision.metric, unit: '' }).label} decides, at the ${levelPercent(decision.level)} level or above; changes below ${percent(decision.practicalThreshold)} are too small to matter`,
    ],
    ...crossoverWords(result),
    ...methods.map((method): [string, string] => ['Method', method]),
    [
      'Versions',
      [`pgduet ${toolVersion}`, ...[...clientVersions].map((version) => `${workload.tool} ${version}`)].join(', '),
    ],
    [
      'Date',
      `${describeTime(startedAt)} to ${endedAt === null ? 'an end that was not recorded' : describeTime(endedAt)}, UTC`,
    ],
    ['Profile', experiment.profile],
  ];
}

function crossoverWords({ experiment, switches = [] }: Result): [term: string, words: string][] {
  if (!experiment.definition.protocol.crossover) return [];
  const switched = switches.map(
    ({ instance, logVolume, downtimeSeconds }) =>
      `${instance} ${logVolume} (nobody could connect for ${chosenDuration(downtimeSeconds)})`,
  );
  return [
    [
      'Crossover',
      switched.length === 0
        ? 'the log volumes were to change places after half of the blocks, and have not yet'
        : `the log volumes changed places between the halves of the blocks: ${switched.join(', ')}`,
    ],
  ];
}

function stoppingWords({ experiment, stoppedAfterBlock }: Result): string {
  const { until } = experiment.definition.protocol;
  if (until !== 'precision') return '';
  return stoppedAfterBlock === undefined
    ? ' at most, until precise enough'
    : ` at most, precise enough after ${countInWords(stoppedAfterBlock)}`;
}

const orderWords = {
  random: 'each holds every variant once, one at a time, in an order drawn from the seed',
  fixed: 'each holds every variant once, one at a time, always in the same order',
  together: 'in each, all variants are measured at the same time from the one driver',
} as const;

const scopeWords = {
  'these-instances':
    'holds for these instances: what sets them apart besides, such as the hosts they run on, cannot be told from what was varied',
  configurations:
    'holds for the configurations on these hosts, each of which was both; other hosts, and other hours, were not tried',
} as const;

const resetWords = {
  restore: 'restore what was loaded',
  'truncate-history': 'empty the history table',
  vacuum: 'vacuum',
  checkpoint: 'checkpoint',
  'tool-default': 'what the load generator does by itself before a run',
} as const;

type Definition = Result['experiment']['definition'];

function describePreparation({ reset, warmUpSeconds, settleSeconds }: Definition['protocol']): string {
  const parts = [
    ...reset.map((step) => resetWords[step]),
    warmUpSeconds > 0 ? `${chosenDuration(warmUpSeconds)} of unmeasured load` : 'no warm-up',
  ];
  return `${parts.join(', ')}${settleSeconds > 0 ? `; ${chosenDuration(settleSeconds)} of rest once after loading` : ''}`;
}

function describeWorkload(workload: Definition['workload']): string {
  const scripts = workload.scripts.map((script) => {
    const name = 'builtin' in script ? script.builtin : script.file;
    return workload.scripts.length === 1 ? name : `${name} (weight ${script.weight})`;
  });
  const parts = [
    `${workload.tool} at scale ${workload.scale.toLocaleString('en-US')}`,
    `${workload.clients} clients on ${workload.threads} ${workload.threads === 1 ? 'thread' : 'threads'}`,
    scripts.join(' and '),
    workload.transactions === undefined
      ? ''
      : `${workload.transactions.toLocaleString('en-US')} transactions per client`,
    workload.durationSeconds === undefined ? '' : `${workload.durationSeconds} s per trial`,
    workload.rate === undefined ? '' : `${workload.rate.toLocaleString('en-US')} transactions per second offered`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** "2026-11-06 14:03" from ISO 8601; what is not a time stays as it is. */
function describeTime(iso: string): string {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(iso) ? iso.slice(0, 16).replace('T', ' ') : iso;
}
