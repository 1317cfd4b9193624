import type { Comparison } from '../../contract/comparison.ts';
import type { ExplainedMechanism, Explanation } from '../../contract/explanation.ts';
import type { Trial } from '../../contract/trial.ts';
import { controlsOf } from '../../experiment/controls.ts';
import { designOf } from '../../experiment/plan/design.ts';
import { valueOf } from '../../metrics/value.ts';
import { turnMetrics } from '../../metrics/turn.ts';
import type { ClaimFacts } from '../claims.ts';
import { type Estimate, estimatePaired } from '../estimate.ts';
import { countedBlocks } from '../pairs.ts';
import { readPairs } from '../units.ts';
import { type Contest, judgeLink } from './judge-link.ts';
import { type Mechanism, mechanisms } from './mechanisms.ts';

/** A mechanism that accounts for less of the effect is not worth a word. */
const leastShare = 0.1;

/**
 * Says why candidates are faster or slower than the baseline, for every comparison with such a verdict: without an effect there
 * is nothing to explain. The mechanism that explains most comes first; a contradicted one comes last.
 */
export function explain(
  facts: Pick<ClaimFacts, 'experiment' | 'trials'> & { comparisons: readonly Comparison[] },
): Explanation[] {
  const { definition } = facts.experiment;
  const controls = controlsOf(definition);
  const { unit, drawn } = designOf(definition);
  return facts.comparisons
    .filter(({ verdict, candidate }) => isEffect(verdict) && !controls.includes(candidate.variant))
    .map(({ baseline, candidate, conditions, verdict }) => {
      const names = { baseline: baseline.variant, candidate: candidate.variant };
      const slower = verdict === 'better' ? 'baseline' : 'candidate';
      const { blocks } = countedBlocks(facts.trials, { ...names, level: conditions });
      const contest: Contest = { blocks, slower, unit, level: drawn ? definition.decision.level : null };
      return { ...names, conditions, slower: names[slower], mechanisms: ranked(contest) };
    });
}

function isEffect(verdict: Comparison['verdict']): boolean {
  return verdict === 'better' || verdict === 'worse';
}

/** Of mechanisms that account for much the same, the one that needs more comes first: it says more. */
function ranked(contest: Contest): ExplainedMechanism[] {
  const turn = changeOf(
    turnMetrics.map((metric) => metric.name),
    contest,
  );
  const named = mechanisms.flatMap((mechanism) => {
    const found = look(mechanism, contest, turn);
    return found ? [{ found, needs: mechanism.links.filter(({ needed }) => needed).length, time: mechanism.time }] : [];
  });
  const order = { supported: 0, fits: 1, contradicted: 2 };
  const best = Math.max(...named.map(({ found }) => Math.min(1, found.accountsFor ?? 0)), 0);
  const isMuch = ({ found }: (typeof named)[number]): boolean => (found.accountsFor ?? 0) >= best / 2;
  const sorted = named.sort(
    (a, b) =>
      order[a.found.standing] - order[b.found.standing] ||
      Number(isMuch(b)) - Number(isMuch(a)) ||
      (isMuch(a) ? b.needs - a.needs : 0) ||
      (b.found.accountsFor ?? 0) - (a.found.accountsFor ?? 0),
  );
  // Of two that cost the same kind of time, the second says nothing new.
  return sorted
    .filter(({ time }, index) => !sorted.slice(0, index).some((before) => before.time.join() === time.join()))
    .map(({ found }) => found);
}

/**
 * The mechanism as the trials show it; null if they do not.
 *
 * @param turn the change of all the time of a transaction
 */
function look(
  { name, title, time, links, sources }: Mechanism,
  contest: Contest,
  turn: Estimate,
): ExplainedMechanism | null {
  const judged = links.map((link) => ({ link, ...judgeLink(link, contest) }));
  const ofTime = changeOf(
    time.map((kind) => `turn.${kind}`),
    contest,
  );
  const share = shareIn(turn, ofTime, contest);
  const needed = judged.filter(({ link }) => link.needed).map(({ standing }) => standing);
  const standing = standingOf(needed, share.accountsFor);
  if (standing === null) return null;
  return {
    name,
    title,
    standing,
    ...share,
    links: judged.map(({ link: _, ...found }) => found),
    sources: [...sources],
  };
}

function standingOf(needed: readonly string[], accountsFor: number | null): ExplainedMechanism['standing'] | null {
  if (accountsFor === null || Math.abs(accountsFor) < leastShare) return null;
  if (accountsFor < 0) return needed.includes('contradicted') ? 'contradicted' : null;
  if (needed.some((one) => one === 'silent' || one === 'contradicted')) return null;
  return needed.every((one) => one === 'supported') ? 'supported' : 'fits';
}

/** By how much these kinds of time differ for a transaction, together, by pairs. In seconds. */
function changeOf(parts: readonly string[], { blocks, level, unit }: Contest): Estimate {
  const pairs = readPairs(blocks, (trial) => timeIn(parts, trial), { compared: 'difference', unit });
  return estimatePaired(pairs, 'difference', { level, unit });
}

/** Which part of the change of the whole lies in a part of it. null if the slower variant does not take longer. */
function shareIn(
  whole: Estimate,
  part: Estimate,
  { slower }: Contest,
): Pick<ExplainedMechanism, 'accountsFor' | 'interval'> {
  const divisor = whole.change ?? 0;
  const isSlower = slower === 'candidate' ? divisor > 0 : divisor < 0;
  if (!isSlower || part.change === null) return { accountsFor: null, interval: null };
  const bounds = part.interval ? [part.interval.low / divisor, part.interval.high / divisor] : [];
  return {
    accountsFor: part.change / divisor,
    interval: part.interval && {
      low: Math.min(...bounds),
      high: Math.max(...bounds),
      level: part.interval.level,
    },
  };
}

/** null if no part is known; a client that does not wait in a closed loop has no time of its own. */
function timeIn(parts: readonly string[], trial: Trial): number | null {
  const known = parts.flatMap((name) => valueOf({ name }, trial) ?? []);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
