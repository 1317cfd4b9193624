import { isSettled } from '../../contract/comparison.ts';
import { crossoversOf } from '../../contract/plan.ts';
import { decidingMetric, type Protocol } from '../../contract/experiment/schema.ts';
import type { LogVolumeSwitch } from '../../contract/server-facts.ts';
import type { Result } from '../../contract/result.ts';
import type { Bill, Machine } from '../../contract/run-record.ts';
import { unseenStalls } from '../../analysis/totals.ts';
import { median } from '../../statistics/summaries.ts';
import { resetWords } from '../../postgres/reset-steps.ts';
import { wordsOfLoad } from '../../workloads/of-variants.ts';
import { toolOf } from '../../workloads/registry.ts';
import {
  chosen,
  countInWords,
  formatDecimal,
  levelPercent,
  nounFor,
  percent,
  quantity,
  withNoun,
} from '../../contract/format.ts';
import { changesOf } from '../../metrics/catalogue.ts';
import { startWords } from '../answer/start-words.ts';
import { scopeWordsOf } from '../answer/change-words.ts';
import { metricWords } from '../metric-words.ts';
import type { Section } from './section.ts';

/** How the result was measured: pairs of a term and its text. */
export function protocolWords(result: Result): [term: string, words: string][] {
  const { experiment, place, startedAt, endedAt, toolVersion, trials } = result;
  const { protocol, workload, decision } = experiment.definition;
  const clientVersions = new Set(trials.flatMap(({ facts }) => facts.identity?.['clientVersion'] ?? []));
  const methods = [
    ...new Set(
      result.comparisons
        .filter(({ primary }) => primary)
        .map((comparison) => `${comparison.method}. ${scopeWordsOf(comparison).remains}`),
    ),
  ];
  const terms: [term: string, words: string][] = [
    ['Place', place.description],
    ['Machine', result.machine ? machineWords(result.machine) : ''],
    [
      'Rights',
      result.machine?.programsMayGainRights
        ? 'programs of the experiment could gain rights: setpriv was not found, or did not work'
        : '',
    ],
    ['Bill', place.bill ? billWords(place.bill) : ''],
    ['Workload', wordsOfLoad(experiment.definition).summary],
    [
      'Order',
      `${countInWords(protocol.blocks)} ${nounFor(protocol.blocks, 'block')} planned${stoppingWords(result)}; ${orderWords[protocol.order]} (seed ${experiment.seed})`,
    ],
    ['Blind', blindWords(trials)],
    ['Live', liveWords(trials)],
    ['Replicas', replicaWords(result)],
    ['Before each trial', describePreparation(result)],
    [
      'Decision',
      `${metricWords({ metric: decidingMetric(decision), unit: '' }).label} decides, with ${levelPercent(Math.max(decision.level, result.start?.level ?? 0))} confidence or more; changes below ${changesOf(decidingMetric(decision)).size(decision.practicalThreshold)} are too small to matter`,
    ],
    ['Run', result.start ? startWords(result.start) : ''],
    ['Crossover', crossoverWords(result)],
    ...methods.map((method): [string, string] => ['Method', method]),
    ['Rare stalls', stallWords(result)],
    [
      'Versions',
      [`pgduet ${toolVersion}`, ...[...clientVersions].map((version) => `${workload.tool} ${version}`)].join(', '),
    ],
    ['Date', `${describeTime(startedAt)} to ${endedAt === null ? 'an unknown end' : describeTime(endedAt)}, UTC`],
    ['Profile', experiment.profile],
  ];
  return terms.filter(([, words]) => words !== '');
}

/** How often a side may stall without a stall in any of its trials: no estimate from few trials can rule this out. */
function stallWords({ comparisons }: Result): string {
  const trials = comparisons.filter(({ primary }) => primary).map((comparison) => comparison.trials.length);
  const min = Math.min(...trials);
  if (!Number.isFinite(min) || min === 0) return '';
  const share = percent(unseenStalls(min));
  return `without a stall in ${countInWords(min)} trials, up to ${share} of trials may still stall (95% confidence)`;
}

/** For a run that hid figures. Trials of a start without --blind count as trials whose figures were shown. */
function blindWords(trials: Result['trials']): string {
  const hidden = trials.filter(({ figures }) => figures === 'hidden').length;
  return hidden === 0
    ? ''
    : `throughput and latency of ${hidden} of ${trials.length} trials were hidden during the run`;
}

/** Whether someone could look at the run from a browser of the machine that measured. */
function liveWords(trials: Result['trials']): string {
  const live = trials.filter((trial) => trial.live === true).length;
  return live === 0
    ? ''
    : `a live page was served during ${live} of ${trials.length} trials; pgduet built reports between trials only`;
}

/** The machine that generated the load. In local runs, the servers ran on it, too. */
export function machineWords(machine: Machine): string {
  const { system, processor, processors, cores, memoryBytes, virtualisation, fileSystem } = machine;
  const onCores = cores === undefined || cores === processors ? '' : ` on ${cores} cores`;
  return [
    [virtualisation, system].filter((one) => one !== undefined).join(', '),
    [processor, `${withNoun(processors, 'CPU')}${onCores}`, `${quantity(memoryBytes, 'bytes')} of memory`]
      .filter((one) => one !== '')
      .join(', '),
    ...(fileSystem ? [fileSystemWords(fileSystem)] : []),
  ].join('; ');
}

function fileSystemWords({ type, disk }: NonNullable<Machine['fileSystem']>): string {
  if (!disk) return type;
  const { device, model, rotational } = disk;
  const known = [model, rotational ? 'spinning disk, per the OS' : undefined].filter((one) => one !== undefined);
  return `${type} on ${device}${known.length > 0 ? ` (${known.join(', ')})` : ''}`;
}

/** When a report is written, the end of the bill is not yet known, so this states the rule. */
function billWords({ dollarsPerHour, whenDone, graceMinutes, expiresAt }: Bill): string {
  const price = dollarsPerHour === null ? 'an unknown price' : `$${formatDecimal(dollarsPerHour, 2)} an hour`;
  const latest = expiresAt === null ? '' : `, or until it expires at ${describeTime(expiresAt)} UTC`;
  const end =
    whenDone === 'keep'
      ? `until you destroy the stack${latest}`
      : `until the stack deletes itself, ${graceMinutes} minutes after all results were confirmed in S3${latest}`;
  return `${price}; billing continues after this report, ${end}`;
}

function replicaWords({ experiment, variants }: Result): string {
  const { replicas } = experiment.definition.protocol;
  return variants.every(({ replica }) => replica === undefined)
    ? ''
    : `${countInWords(replicas)} instances per variant, each on its own host`;
}

function crossoverWords({ experiment, steps }: Result): string {
  const exchanges = crossoversOf(experiment.definition.protocol);
  if (exchanges === 0) return '';
  const made = steps.flatMap(({ switches = [] }) =>
    switches.length === 0 ? [] : [switches.map(switchWords).join(', ')],
  );
  const planned = exchanges === 1 ? 'once' : `${countInWords(exchanges)} times`;
  return `planned: exchange log volumes ${planned}${made.length === 0 ? '; not done yet' : ` during the run; done: ${made.join('; then ')}`}`;
}

function switchWords({ instance, logVolume, downtimeSeconds }: LogVolumeSwitch): string {
  return `${instance} ${logVolume} (no connections for ${chosen(downtimeSeconds, 'duration')})`;
}

/**
 * The last look ends a run whatever its width is. A look also comes before the checks of the result, and before what
 * sources find only after the run. So whether a verdict remains is read from the comparisons.
 */
function stoppingWords({ experiment, stoppedAfterBlock, stoppedBy, comparisons }: Result): string {
  const { until, blocks } = experiment.definition.protocol;
  if (until === 'blocks') return '';
  const reached = until === 'precision' ? 'precise enough' : 'a verdict';
  if (stoppedAfterBlock === undefined) return ` at most, until ${reached}`;
  if (until === 'precision' && stoppedAfterBlock >= blocks) return ' at most, all measured';
  const after = countInWords(stoppedAfterBlock);
  if (stoppedBy !== undefined) return ` at most, stopped after ${after}: an answer had become unlikely`;
  const hasVerdicts = comparisons.filter(({ primary }) => primary).every(({ verdict }) => isSettled(verdict));
  return until === 'verdict' && !hasVerdicts
    ? ` at most, stopped after ${after}, but a verdict was then withheld`
    : ` at most, ${reached} after ${after}`;
}

const orderWords = {
  random: 'each runs every variant once, one at a time, in a new random order',
  fixed: 'each runs every variant once, one at a time, in a fixed order',
  together: 'each runs every variant once, all at the same time from one driver',
} as const;

function describePreparation({ experiment, trials }: Result): string {
  const { protocol, workload } = experiment.definition;
  const { reset, settleSeconds } = protocol;
  const { resetSteps } = toolOf(workload);
  const known: Record<string, string> = resetWords;
  const timed = (step: string): string => {
    const own = trials.flatMap((trial) => trial.resetSteps?.find((one) => one.step === step)?.seconds ?? []);
    return own.length === 0 ? '' : ` (${quantity(median(own), 'duration')})`;
  };
  const parts = [
    ...reset.map((step) => `${known[step] ?? resetSteps[step]?.words ?? step}${timed(step)}`),
    warmUpWords(protocol),
  ];
  return `${parts.join(', ')}${settleSeconds > 0 ? `; ${chosen(settleSeconds, 'duration')} pause once after loading` : ''}`;
}

function warmUpWords({ warmUpSeconds, phaseSeconds }: Protocol): string {
  const shortest = chosen(warmUpSeconds, 'duration');
  if (phaseSeconds > 0) {
    const longest = chosen(warmUpSeconds + phaseSeconds, 'duration');
    return `${shortest} to ${longest} warm-up, drawn per block so that blocks start at different phases of the checkpoint cycle`;
  }
  return warmUpSeconds > 0 ? `${shortest} warm-up` : 'no warm-up';
}

/** "2026-11-06 14:03" from ISO 8601. Other texts stay as they are. */
function describeTime(iso: string): string {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(iso) ? iso.slice(0, 16).replace('T', ' ') : iso;
}

/** How it was measured. */
export const methodSection: Section = {
  id: 'method',
  blocks: ({ result, isUnderWay }) => [
    {
      title: 'Test setup',
      summary: 'protocol, workload, order and place',
      parts: [{ kind: 'terms', terms: protocolWords(result).filter(([term]) => !isUnderWay || term !== 'Date') }],
    },
  ],
};
