import { decidingMetric } from '../../contract/experiment/schema.ts';
import { countedTrials, isRepeatable, missingTrials, externalReasonsOf } from '../../analysis/counted-trials.ts';
import { planOfRun } from '../../analysis/ladder/past-knee.ts';
import { plannedTrials } from '../../contract/plan.ts';
import { comparedLevel, levelKey, levelOf } from '../../contract/trial.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { comparedValue } from '../../metrics/value.ts';
import { toolOf } from '../../workloads/registry.ts';
import { type KeptRun, nothingKept } from '../../storage/kept-run.ts';
import { controlsOf } from '../../experiment/groups.ts';
import type { Result } from '../../contract/result.ts';
import { answers, pairsTables } from './answer.ts';
import { type DoubtDefinition, doubtDefinitions } from '../../analysis/validity/doubts.ts';
import { byGravity, type Doubt, doubtWords } from './doubts.ts';
import { leadOf } from './lead.ts';
import type { Answer } from './statement.ts';
import { checkDoubts, checksInWords, checksTable } from './checks-table.ts';
import { comparisonTables } from './comparison-table.ts';
import { type CostsView, viewCosts } from './costs-view.ts';
import { type LadderView, viewLadders } from './ladder-view.ts';
import { protocolWords } from './protocol-words.ts';
import { type RepeatView, viewRepeat } from './repeat.ts';
import { settingsTables } from './settings-table.ts';
import { variantsTable } from './variants-table.ts';
import { stepsTable, trialRemarks, trialsTable } from './trials-table.ts';
import type { Table } from './table.ts';
import { type Why, whyOf } from './why.ts';
import { capitalise, countInWords, withNoun } from '../../contract/format.ts';

/** What several sections of a report share, or a section and another file: in words and scaled numbers. */
export interface ReportView {
  name: string;
  question: string;
  /** One answer over all of them; that of the only comparison if there is only one. */
  lead: Answer;
  answers: Answer[];
  costs: CostsView;
  /** Throughput and latency over each axis of numbers. */
  ladders: LadderView[];
  /** Why candidates are faster or slower. */
  why: Why[];
  /** What a reader must know before relying on the answer: the gravest first. */
  doubts: Doubt[];
  /** The same in words, with what each could change. */
  attention: string[];
  /** How many checks passed. */
  checked: string;
  /** Without rows if there are only two variants at one level. */
  variants: Table;
  comparisons: Table[];
  /** The pairs of each comparison that decides. */
  pairs: Table[];
  settings: { differing: Table; shared: Table };
  steps: Table;
  trials: Table;
  checks: Table;
  protocol: [term: string, words: string][];
  repeat: RepeatView;
}

/** @param kept what the folder of the run has for repeating and checking it */
export function viewResult(result: Result, kept: KeptRun = nothingKept): ReportView {
  const { experiment, comparisons } = result;
  const counted = countedTrials(result);
  const doubts = doubtsOf(result, counted);
  const answered = comparisons.length > 0 ? answers(comparisons, answerContext(result)) : [nothingCompared(result)];
  return {
    name: experiment.name,
    question: experiment.question,
    lead: leadOf(answered, controlsOf(experiment.definition)),
    answers: answered,
    costs: viewCosts(comparisons, result),
    ladders: viewLadders(result),
    why: whyOf(result),
    doubts,
    attention: doubts.map(doubtWords),
    checked: checksInWords(result, counted),
    variants: variantsTable(result),
    comparisons: comparisonTables(comparisons),
    pairs: pairsTables(comparisons),
    settings: settingsTables(result),
    steps: stepsTable(result),
    trials: trialsTable(result, counted),
    checks: checksTable(result, counted),
    protocol: protocolWords(result),
    repeat: viewRepeat(result, kept),
  };
}

function answerContext({ experiment, start, earlier = [], trials }: Result): Parameters<typeof answers>[1] {
  const { decision, workload } = experiment.definition;
  const declared = metricNamed(decidingMetric(decision));
  const shape = toolOf(workload).shape(workload);
  return {
    metric: decidingMetric(decision),
    practicalThreshold: decision.practicalThreshold,
    controls: controlsOf(experiment.definition),
    isMeasured: (variant, level) =>
      trials.some(
        (trial) =>
          trial.state === 'finished' &&
          trial.conditions.variant === variant &&
          levelKey(comparedLevel(levelOf(trial.conditions))) === levelKey(comparedLevel(level)) &&
          declared !== undefined &&
          comparedValue(declared, trial, shape.limit) !== null,
      ),
    start,
    earlier,
    remeasured: remeasured(trials),
  };
}

/** Blocks with an attempt that something outside the servers spoilt, and with a later attempt. */
function remeasured(trials: Result['trials']): { blocks: number[]; of: number; reasons: string[] } {
  const blocks = [...new Set(trials.map(({ block }) => block))];
  const disturbed = trials.filter(
    (trial) =>
      isRepeatable(trial) && trials.some(({ block, attempt }) => block === trial.block && attempt > trial.attempt),
  );
  return {
    blocks: [...new Set(disturbed.map(({ block }) => block))],
    of: blocks.length,
    reasons: [...new Set(disturbed.flatMap(externalReasonsOf))],
  };
}

function nothingCompared({ trials }: Result): Answer {
  const finished = trials.filter(({ state }) => state === 'finished').length;
  return {
    candidate: '',
    verdict: null,
    headline: 'There is no answer: nothing could be compared.',
    evidence: `${finished} of ${trials.length} trials finished.`,
    remains: '',
    of: null,
  };
}

function doubtsOf(result: Result, counted: ReadonlySet<string>): Doubt[] {
  const { place, warnings, trials, complete, comparisons } = result;
  const unfinished = trials.filter(({ state }) => state !== 'finished');
  // If nothing could be compared, no trial counts, and the answer says so.
  const notUsed = trials.filter(({ state, id }) => comparisons.length > 0 && state === 'finished' && !counted.has(id));
  const doubts = ({ id, couldChange }: DoubtDefinition, sentences: readonly string[]): Doubt[] =>
    sentences.map((sentence) => ({ id, effect: couldChange, sentence }));
  const { place: atPlace, ...of } = doubtDefinitions;
  return byGravity([
    ...doubts(atPlace, place.caveats).map((caveat): Doubt => ({ ...caveat, hasOwnEffect: true })),
    ...doubts(of.missingTrials, complete ? [] : missingInWords(result)),
    ...doubts(
      of.unfinishedTrials,
      unfinished.length > 0
        ? [
            `${trialsPhrase(unfinished, trials)} did not finish and ${unfinished.length === 1 ? 'does' : 'do'} not count: ${unfinished.map((trial) => `${trial.id} (${trialRemarks(trial).join(' ')})`).join(', ')}.`,
          ]
        : [],
    ),
    ...doubts(
      of.unusedTrials,
      notUsed.length > 0
        ? [
            `${trialsPhrase(notUsed, trials)} finished and ${notUsed.length === 1 ? 'does' : 'do'} not count, because the block is unknown, was measured again, or is incomplete: ${notUsed.map(({ id }) => id).join(', ')}.`,
          ]
        : [],
    ),
    ...checkDoubts(result, counted),
    ...doubts(of.runWarning, warnings),
    ...doubts(of.trialWarning, repeatedTrialWarnings(result)),
  ]);
}

/** How many trials of the plan have no result, and why. */
function missingInWords(result: Result): string[] {
  const { trials, stoppedAfterBlock = Infinity } = result;
  const planned = planOfRun(result);
  const finished = trials.filter(({ state }) => state === 'finished');
  const missing = missingTrials(planned, finished).filter(({ block }) => block <= stoppedAfterBlock);
  const tried = (state: Result['trials'][number]['state']): number => {
    const without = missingTrials(
      planned,
      trials.filter((trial) => trial.state === state || trial.state === 'finished'),
    );
    return missing.length - without.filter(({ block }) => block <= stoppedAfterBlock).length;
  };
  const [failed, interrupted] = [tried('failed'), tried('interrupted')];
  const begun =
    missing.length - missingTrials(planned, trials).filter(({ block }) => block <= stoppedAfterBlock).length;
  const parts = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(interrupted > 0 ? [`${withNoun(interrupted, 'was', 'were')} interrupted`] : []),
    ...(missing.length > begun ? [`${withNoun(missing.length - begun, 'was', 'were')} never begun`] : []),
  ];
  return [
    `${capitalise(countInWords(missing.length))} of ${plannedTrials(planned).length} planned trials ${missing.length === 1 ? 'has' : 'have'} no result: ${parts.join(', ')}.`,
  ];
}

function trialsPhrase(some: readonly unknown[], all: readonly unknown[]): string {
  return `${capitalise(countInWords(some.length))} of ${all.length} trials`;
}

/** The remarks on trials. A remark on many trials appears once. */
function repeatedTrialWarnings({ trials }: Result): string[] {
  const trialsByRemark = new Map<string, string[]>();
  for (const trial of trials) {
    if (trial.state !== 'finished') continue;
    // Without checks: `checkWarnings` reports their findings.
    for (const remark of trialRemarks({ ...trial, checks: [] })) {
      trialsByRemark.set(remark, [...(trialsByRemark.get(remark) ?? []), trial.id]);
    }
  }
  return [...trialsByRemark].map(([remark, ids]) =>
    ids.length === 1 ? `${ids.join('')}: ${remark}` : `${remark} (${ids.length} of ${trials.length} trials)`,
  );
}
