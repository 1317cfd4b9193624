import type { Comparison } from '../../contract/comparison.ts';
import type { ExplainedMechanism, Explanation } from '../../contract/explanation.ts';
import type { Trial } from '../../contract/trial.ts';
import { controlsOf } from '../../experiment/controls.ts';
import { valueOf } from '../../metrics/value.ts';
import { turnMetrics } from '../../metrics/turn.ts';
import { type ClaimFacts, claimsOf } from '../claims.ts';
import { estimatePaired } from '../estimate.ts';
import { countedBlocks } from '../pairs.ts';
import { type Contest, judgeLink, pairsOf } from './judge-link.ts';
import { type Mechanism, mechanisms } from './mechanisms.ts';

/** A mechanism that accounts for less of the effect is not worth a word. */
const leastShare = 0.1;

/**
 * Says why candidates are faster or slower than the baseline, for every comparison with such a verdict: without an effect there
 * is nothing to explain. The mechanism that explains most comes first; a contradicted one comes last.
 */
export function explain(facts: ClaimFacts & { comparisons: readonly Comparison[] }): Explanation[] {
  const { definition } = facts.experiment;
  const controls = controlsOf(definition);
  const { unit, drawn } = claimsOf(facts);
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
  const named = mechanisms.flatMap((mechanism) => {
    const found = look(mechanism, contest);
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

/** The mechanism as the trials show it; null if they do not. */
function look({ name, title, time, links, sources }: Mechanism, contest: Contest): ExplainedMechanism | null {
  const judged = links.map((link) => ({ link, ...judgeLink(link, contest) }));
  const share = accountOf(time, contest);
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

/** Part of the difference in the time of a transaction that lies in these kinds of time, by pairs. */
function accountOf(time: readonly string[], contest: Contest): Pick<ExplainedMechanism, 'accountsFor' | 'interval'> {
  const { level, unit, slower } = contest;
  const changeOf = (parts: readonly string[]) =>
    estimatePaired(
      pairsOf(contest, (trial) => timeIn(parts, trial), 'difference'),
      'difference',
      { level, unit },
    );
  const whole = changeOf(turnMetrics.map((metric) => metric.name));
  const part = changeOf(time.map((kind) => `turn.${kind}`));
  const isSlower = slower === 'candidate' ? (whole.change ?? 0) > 0 : (whole.change ?? 0) < 0;
  if (!isSlower || whole.change === null || part.change === null) return { accountsFor: null, interval: null };
  const divisor = whole.change;
  const bounds = part.interval ? [part.interval.low / divisor, part.interval.high / divisor] : [];
  return {
    accountsFor: part.change / divisor,
    interval: part.interval
      ? { low: Math.min(...bounds), high: Math.max(...bounds), level: part.interval.level }
      : null,
  };
}

/** null if no part is known; a client that does not wait in a closed loop has no time of its own. */
function timeIn(parts: readonly string[], trial: Trial): number | null {
  const known = parts.flatMap((name) => valueOf({ name }, trial) ?? []);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
