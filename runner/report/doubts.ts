import type { Result } from '../contract/result.ts';
import { type Effect, effects } from '../contract/check.ts';
import { missingTrials } from '../analysis/counted-trials.ts';
import { planOfRun } from '../analysis/ladder/past-knee.ts';
import { plannedTrials } from '../contract/plan.ts';
import { type DoubtDefinition, doubtDefinitions } from '../analysis/validity/doubts.ts';
import { sharedServices } from '../contract/experiment/variant.ts';
import { capitalise, countInWords, list, withNoun } from '../contract/format.ts';
import { checkById } from '../analysis/validity/registry.ts';
import { neighbours } from '../analysis/validity/trial/neighbours.ts';
import { checkedSubjects } from './checked-subjects.ts';
import { trialRemarks } from './trial-remarks.ts';

/** Something that a reader should know before relying on the answer. */
export interface Doubt {
  /** Of the check that says so, or of one of `doubtDefinitions`. */
  id: string;
  effect: Effect;
  /** One sentence with its full stop. */
  sentence: string;
  /** Whether the sentence says itself what it could change. @default false */
  hasOwnEffect?: boolean;
}

/** The gravest first; those of equal gravity stay in their order. */
function byGravity(doubts: readonly Doubt[]): Doubt[] {
  return doubts.toSorted((one, other) => effects.indexOf(one.effect) - effects.indexOf(other.effect));
}

/** What a reader must know before relying on the answer: the gravest first. */
export function doubtsOf(result: Result, counted: ReadonlySet<string>): Doubt[] {
  const { experiment, place, warnings, trials, complete, comparisons } = result;
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
      of.sharedServer,
      sharedServices(experiment.definition.variants).map(
        ([service, names]) =>
          `${list(names)} are databases of one server (service ${service}). They share its cache, WAL and background processes, so what a trial leaves there is part of the next.`,
      ),
    ),
    ...doubts(
      of.unfinishedTrials,
      unfinished.length > 0
        ? [
            `${trialsPhrase(unfinished, trials)} did not finish and ${unfinished.length === 1 ? 'is' : 'are'} excluded: ${firstOf(unfinished.map((trial) => `${trial.id} (${trialRemarks(trial).join(' ')})`))}.`,
          ]
        : [],
    ),
    ...doubts(
      of.unusedTrials,
      notUsed.length > 0
        ? [
            `${trialsPhrase(notUsed, trials)} finished and ${notUsed.length === 1 ? 'is' : 'are'} excluded, because the block is lost, was repeated or is incomplete: ${firstOf(notUsed.map(({ id }) => id))}.`,
          ]
        : [],
    ),
    ...checkDoubts(result, counted),
    ...doubts(
      of.runWarning,
      warnings.map(({ message }) => message),
    ),
    ...doubts(of.trialWarning, repeatedTrialWarnings(result)),
  ]);
}

/** Names in a sentence: the rest are counted. */
const maxNamed = 4;

function firstOf(names: readonly string[]): string {
  const left = names.length - maxNamed;
  return `${names.slice(0, maxNamed).join(', ')}${left > 0 ? `, and ${left} more` : ''}`;
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
    ...(missing.length > begun ? [`${withNoun(missing.length - begun, 'was', 'were')} never started`] : []),
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

/** A doubt for each check that warns, or that failed without withholding a verdict. */
function checkDoubts(result: Result, counted: ReadonlySet<string>): Doubt[] {
  const withheld = result.comparisons.flatMap(({ withheld: reasons }) => reasons);
  const primary = result.comparisons.filter((one) => one.primary);
  const isBesideSaid =
    primary.length > 0 && primary.every(({ beside, change }) => beside !== undefined && change !== null);
  return (['fail', 'warn'] as const).flatMap((state) =>
    checkedSubjects(result, counted).flatMap((subject): Doubt[] => {
      const own = subject.checks.filter((check) => check.state === state);
      const [first] = own;
      if (!first) return [];
      // The answer already says it.
      if (state === 'warn' && subject.id === neighbours.id && isBesideSaid) return [];
      if (state === 'fail' && withheld.some(({ id, trial }) => id === first.id && trial === first.trial)) return [];
      const where =
        own.length > 1
          ? ` (${first.trial ?? ''} and ${own.length - 1} more of ${subject.checks.length} trials)`
          : subject.checks.length > 1
            ? ` (${first.trial ?? ''})`
            : '';
      const name = first.trial === null ? `${subject.name} of ${subject.subject}` : subject.name;
      const about = checkById(subject.id)?.isNamedByFinding && first.trial !== null ? '' : `${name}: `;
      const sentence = `${state === 'fail' ? 'Failed check: ' : ''}${about}${first.finding}${where}.`;
      return [{ id: subject.id, effect: effectOfCheck(subject.id, state), sentence: capitalise(sentence) }];
    }),
  );
}

/**
 * A check that failed could change the answer, whatever it checks: either the answer was withheld for that, or the
 * failure was tolerated.
 */
function effectOfCheck(id: string, state: 'fail' | 'warn'): Effect {
  return state === 'fail' ? 'answer' : (checkById(id)?.couldChange ?? 'size');
}
