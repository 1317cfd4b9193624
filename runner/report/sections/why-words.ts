import { isLost, namedShare } from '../../analysis/explanation/explain.ts';
import type { Distribution } from '../../contract/distribution.ts';
import type { ExplainedLink, ExplainedMechanism, ExplainedTime, Explanation } from '../../contract/explanation.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { timeKinds } from '../../metrics/transaction-time.ts';
import {
  capitalise,
  formatDecimal,
  inScale,
  inUnit,
  listOfClauses,
  percent,
  type Scale,
  scaleFor,
  withNoun,
} from '../../contract/format.ts';
import { nameWords } from '../answer/change-words.ts';
import { metricScale } from '../metric-words.ts';
import { slowWords } from './distribution-words.ts';

/**
 * What a transaction does longer with the slower variant, and what else differs with it, in one paragraph. Each of its
 * sentences has the numbers that it comes from.
 */
export function whyParagraph(given: Explanation, distributions: readonly Distribution[]): string {
  const baseline = nameWords(given.baseline);
  const candidate = nameWords(given.candidate);
  const explanation = { ...given, baseline, candidate, slower: nameWords(given.slower) };
  const { time, brokenPairs = 0 } = explanation;
  if (time.length === 0) {
    return brokenPairs > 0
      ? `In ${brokenPairs} of the pairs, the sampled sessions are not those of the load (see the check “transaction time”), so transaction time is not broken down.`
      : `Too few blocks have session samples of ${baseline} and ${candidate} to break down transaction time.`;
  }
  const whole = wholeOf(time);
  const scale = timeScale(explanation);
  const both = `A transaction, estimated from session samples, takes ${inUnit(whole.baseline, scale)} with ${baseline} and ${inUnit(whole.candidate, scale)} with ${candidate}, client included.`;
  if (time.every(({ share }) => share === null)) {
    return `${both} That difference is within noise (${pairsIn(explanation)}), so there is nothing to break down.`;
  }
  const lost = lostIn(explanation);
  return [
    both,
    ...(explanation.opposesVerdict
      ? [
          `It takes longer with ${explanation.slower}, which has the better verdict. What follows explains the time, not the verdict.`,
        ]
      : []),
    ...lost.flatMap((one, index) => [
      `It ${index === 0 ? '' : 'also '}${one.title}: ${timesOf(one, explanation, index === 0)}, ${shareWords(one)}.`,
      ...mechanismWords(one, explanation),
    ]),
    ...unknownCauses(lost, explanation),
    ...restWords(lost, explanation),
    ...workerWords(explanation),
    ...slowWords(given, distributions),
    `These are observations from ${pairsIn(explanation)}, not tests.`,
  ].join(' ');
}

/** The kind of time with the largest share, such as `WAL flush 18.96 → 8.82 ms, 92% of the difference`; empty if none is named. */
export function largestPart(explanation: Explanation): string {
  const scale = timeScale(explanation);
  const [largest] = lostIn(explanation);
  if (!largest) return '';
  const { baseline, candidate } = largest;
  return `${shortName(largest)} ${inScale(baseline, scale)} → ${inUnit(candidate, scale)}, ${shareWords(largest)}`;
}

/** Such as `12 pairs, 1 more lost`: how many pairs the means cover, and how many they leave out. */
export function pairsIn({ pairs, unknownPairs = 0, brokenPairs = 0 }: Explanation): string {
  const others = [
    ...(unknownPairs > 0 ? [`${unknownPairs} more lost`] : []),
    ...(brokenPairs > 0 ? [`${brokenPairs} excluded, because the sampled sessions are not those of the load`] : []),
  ];
  return `${withNoun(pairs, 'pair')}${others.length > 0 ? ` (${others.join('; ')})` : ''}`;
}

/** The name of a kind of time in a picture. */
export function shortName({ kind, title }: Pick<ExplainedTime, 'kind' | 'title'>): string {
  return timeKinds.find((known) => known.kind === kind)?.short ?? title;
}

/** The part of the difference, for a table. If it were more than 100%, other kinds of time go the other way. */
export function shareCell(share: number): string {
  if (isMore(-share)) return 'opposite';
  return isMore(share) ? 'more than all' : percent(share);
}

/** Kinds in which the slower variant loses a part that is worth a name, the largest first. */
function lostIn(explanation: Explanation): ExplainedTime[] {
  return explanation.time
    .filter((one) => isLost(one, { slower: slowerSide(explanation) }))
    .toSorted((one, other) => (other.share ?? 0) - (one.share ?? 0));
}

/** Such as `18.96 ms with one-volume, 8.82 ms with two-volumes`, in the order of the headline's table. */
function timesOf(one: ExplainedTime, explanation: Explanation, isNamed: boolean): string {
  const scale = timeScale(explanation);
  if (!isNamed) return `${inScale(one.baseline, scale)} and ${inUnit(one.candidate, scale)}`;
  const { baseline, candidate } = explanation;
  return `${inUnit(one.baseline, scale)} with ${baseline}, ${inUnit(one.candidate, scale)} with ${candidate}`;
}

/** What a session does longer on a side, such as `waits to read data (1.557 against 0.182 ms)`. */
function doing(one: ExplainedTime, explanation: Explanation, side: 'baseline' | 'candidate'): string {
  const scale = timeScale(explanation);
  const other = side === 'candidate' ? 'baseline' : 'candidate';
  return `${one.title} (${inScale(one[side], scale)} against ${inUnit(one[other], scale)})`;
}

function shareWords({ share }: Pick<ExplainedTime, 'share'>): string {
  if (isMore(share ?? 0)) return 'more than all of the difference';
  return (share ?? 0) >= 0.995 ? 'all of the difference' : `${percent(share ?? 0)} of the difference`;
}

/** Whether a share reads more than 100%. */
function isMore(share: number): boolean {
  return share >= 1.005;
}

/** The links that hold from the cause to this time, and what the server itself waits for. */
function mechanismWords({ kind, change }: ExplainedTime, explanation: Explanation): string[] {
  const mechanism = explanation.mechanisms.find((one) => one.kind === kind);
  if (!mechanism) return [];
  const links = mechanism.links.map((link) => link.claim + valuesOf(link, explanation));
  return [
    ...(links.length > 0 ? [`With ${explanation.slower}, ${listOfClauses(links)}.`] : []),
    ...causeWords(mechanism, change, explanation),
    ...(kind === 'client' ? [`Sessions then wait for ${whatFor(mechanism)}.`] : []),
  ];
}

/** What differs, and how much of the time it can explain at most. */
function causeWords(
  { title, role, size, settings = [], links }: ExplainedMechanism,
  change: number,
  explanation: Explanation,
): string[] {
  if (role === 'place' || size === undefined) return [];
  const { baseline, candidate } = explanation;
  const set = settings.map(
    (one) =>
      `${one.name} is ${one.baseline ?? 'unknown'} with ${baseline} and ${one.candidate ?? 'unknown'} with ${candidate}`,
  );
  return [
    ...(set.length > 0 || links.length === 0 ? [`${title}${set.length > 0 ? `: ${listOfClauses(set)}` : ''}.`] : []),
    size >= Math.abs(change)
      ? 'That can explain all of it.'
      : `That can explain up to ${inUnit(size, timeScale(explanation))} of it.`,
  ];
}

/** Kinds of which nothing that was set differently or measured can carry the time, with how much longer each takes. */
function unknownCauses(lost: readonly ExplainedTime[], explanation: Explanation): string[] {
  const { mechanisms } = explanation;
  const scale = timeScale(explanation);
  const unknown = lost.filter(({ kind }) => !mechanisms.some((one) => one.kind === kind && one.role === 'cause'));
  const each = unknown.map((one) => `${shortName(one)} (${inUnit(Math.abs(one.change), scale)})`);
  return each.length > 0 ? [`No cause is known for this time: ${listOfClauses(each)}.`] : [];
}

/** A client that the machine gives no processor is slow, too, where it shares the machine with the servers. */
function whatFor({ name }: ExplainedMechanism): string {
  return name === 'driver-bound'
    ? 'the load generator, which is at its limit'
    : 'the network, for the client, or for a CPU to run it';
}

/** Both values in brackets, that of the slower variant first. */
function valuesOf(link: ExplainedLink, explanation: Explanation): string {
  const { metric, baseline, candidate } = link;
  if (baseline === null || candidate === null) return '';
  const scale = metricScale(metric, metricNamed(metric)?.kind ?? 'rate', [baseline, candidate]);
  const [slow, fast] = slowerSide(explanation) === 'candidate' ? [candidate, baseline] : [baseline, candidate];
  return ` (${inScale(slow, scale)} against ${inUnit(fast, scale)})`;
}

/** What the kinds that are named leave open: less than all of the difference, or more. */
function restWords(lost: readonly ExplainedTime[], explanation: Explanation): string[] {
  const { time, slower, baseline, candidate } = explanation;
  const min = percent(namedShare);
  if (lost.length === 0) return [`No component grows, beyond noise, by at least ${min} of the difference.`];
  const gained = gainedIn(explanation);
  const rest = time.filter((one) => !lost.includes(one) && !gained.includes(one));
  const [part, named] = [sharesOf(rest), sharesOf(lost)];
  const side = slower === candidate ? 'baseline' : 'candidate';
  const back = listOfClauses(gained.map((one) => doing(one, explanation, side)));
  return [
    ...(gained.length > 0 ? [`With ${{ baseline, candidate }[side]}, part of that gain is lost: it ${back}.`] : []),
    ...(part >= namedShare
      ? [
          `${capitalise(shareWords({ share: part }))} is spread over other components; none changes by ${min} of it beyond noise.`,
        ]
      : []),
    ...(isMore(named) && gained.length === 0
      ? [
          `With ${slower}, all other components together are ${inUnit(Math.abs(wholeOf(rest).change), timeScale(explanation))} shorter.`,
        ]
      : []),
  ];
}

/** Kinds in which the faster variant loses as much as would be worth a name for the slower one. */
function gainedIn(explanation: Explanation): ExplainedTime[] {
  const faster = slowerSide(explanation) === 'candidate' ? 'baseline' : 'candidate';
  return explanation.time.filter(({ share, interval }) =>
    isLost({ share: share === null ? null : -share, interval }, { slower: faster }),
  );
}

/** Work beside the session of a transaction, of which its time shows nothing. */
function workerWords({ workers, baseline, candidate }: Explanation): string[] {
  if (!workers) return [];
  const count = (one: number): string => formatDecimal(one, 1);
  return [
    `On average, ${count(workers.baseline)} parallel workers are busy with ${baseline} and ${count(workers.candidate)} with ${candidate}; their time is no part of these times.`,
  ];
}

function sharesOf(time: readonly ExplainedTime[]): number {
  return time.reduce((sum, { share }) => sum + (share ?? 0), 0);
}

/** A whole transaction: the sums of all kinds of time, in seconds. */
export function wholeOf(time: readonly ExplainedTime[]): Pick<ExplainedTime, 'baseline' | 'candidate' | 'change'> {
  const sum = (of: (one: ExplainedTime) => number): number => time.reduce((total, one) => total + of(one), 0);
  return {
    baseline: sum((one) => one.baseline),
    candidate: sum((one) => one.candidate),
    change: sum((one) => one.change),
  };
}

/** One scale for all kinds, so that the rows add up as they are printed. */
export function timeScale({ time }: Pick<Explanation, 'time'>): Scale {
  const whole = wholeOf(time);
  return scaleFor('latency', [whole.baseline, whole.candidate, whole.change, ...time.map(({ change }) => change)]);
}

/** Which side of the comparison is the slower variant. */
export function slowerSide({ slower, candidate }: Explanation): 'baseline' | 'candidate' {
  return slower === candidate ? 'candidate' : 'baseline';
}
