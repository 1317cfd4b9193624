import type { Comparison } from '../../contract/comparison.ts';
import type { ExplainedMechanism, ExplainedTime, Explanation } from '../../contract/explanation.ts';
import type { Result } from '../../contract/result.ts';
import { serversAt } from '../../contract/server.ts';
import type { Level } from '../../contract/trial.ts';
import { controlsOf } from '../../experiment/groups.ts';
import { designOf } from '../../experiment/plan/design.ts';
import { blocksOf } from '../counted-trials.ts';
import { accountForTime, isBeyondZero } from './account-for-time.ts';
import { type Contest, judgeLink } from './judge-link.ts';
import { type Link, type Mechanism, mechanisms } from './mechanisms.ts';

/** A kind of time that is less of the difference is not worth a name. */
const leastShare = 0.1;

/**
 * Says where the time of a transaction goes that makes candidates faster or slower than the baseline, for every comparison with
 * such a verdict: without an effect there is nothing to explain. Sessions are sampled over whole trials, so that of trials whose
 * start was left out nothing is said.
 */
export function explain(
  facts: Pick<Result, 'experiment' | 'trials' | 'variants'> & { comparisons: readonly Comparison[] },
): Explanation[] {
  const { definition } = facts.experiment;
  const controls = controlsOf(definition);
  const { unit, exchanges, drawn } = designOf(definition);
  return facts.comparisons
    .filter(({ verdict, candidate }) => isEffect(verdict) && !controls.includes(candidate.variant))
    .filter(() => facts.trials.every(({ steady }) => steady === undefined))
    .map((comparison) => {
      const { baseline, candidate, conditions, verdict } = comparison;
      const names = { baseline: baseline.variant, candidate: candidate.variant };
      const slower = verdict === 'better' ? 'baseline' : 'candidate';
      const contest: Contest = {
        ...blocksOf(comparison, facts.trials),
        slower,
        unit,
        exchanges,
        level: drawn ? definition.decision.level : null,
        differing: differingSettings(facts.variants, Object.values(names), conditions),
      };
      const { pairs, unknown, time } = accountForTime(contest);
      return {
        ...names,
        conditions,
        slower: names[slower],
        pairs,
        ...(unknown > 0 && { unknownPairs: unknown }),
        time,
        mechanisms: namedIn(time, contest),
      };
    });
}

/** Names of the settings whose values in force are not those of both variants. */
function differingSettings(servers: Result['variants'], variants: readonly string[], level: Level): Set<string> {
  const seen = new Map<string, Set<string>>();
  const records = variants.flatMap((variant) => serversAt(servers, level, variant));
  for (const { settings } of records) {
    for (const [name, value] of Object.entries(settings)) seen.set(name, (seen.get(name) ?? new Set()).add(value));
  }
  return new Set([...seen].flatMap(([name, values]) => (values.size > 1 ? [name] : [])));
}

function isEffect(verdict: Comparison['verdict']): boolean {
  return verdict === 'better' || verdict === 'worse';
}

/**
 * At most one mechanism for each kind of time, so that none accounts for the time of another: the one that needs most, which
 * says most.
 */
function namedIn(time: readonly ExplainedTime[], contest: Contest): ExplainedMechanism[] {
  return time
    .filter((one) => isLost(one, contest))
    .sort((a, b) => (b.share ?? 0) - (a.share ?? 0))
    .flatMap(({ kind }) => {
      const found = mechanisms
        .filter((mechanism) => mechanism.kind === kind)
        .sort((a, b) => needs(b) - needs(a))
        .flatMap((mechanism) => look(mechanism, contest) ?? []);
      return found.slice(0, 1);
    });
}

/** Whether the slower variant loses a part of the difference in this kind of time, beyond chance. */
function isLost({ share, interval }: ExplainedTime, { slower }: Contest): boolean {
  return (share ?? 0) >= leastShare && interval !== null && isBeyondZero(interval, slower === 'candidate' ? 1 : -1);
}

function needs({ links }: Mechanism): number {
  return links.filter(({ needed }) => needed).length;
}

/**
 * The mechanism as the trials show it. null if the settings are not as it needs them, if a link that it needs does not
 * hold, if any link is contradicted, or if another cause of the same time is seen, which observation cannot tell apart.
 */
function look(
  { name, title, kind, links, differingIn, equalIn, unless = [], sources }: Mechanism,
  contest: Contest,
): ExplainedMechanism | null {
  const differs = (setting: string): boolean => contest.differing.has(setting);
  if ((differingIn && !differingIn.some(differs)) || equalIn?.some(differs)) return null;
  const judged = links.map((link) => ({ link, found: judgeLink(link, contest) }));
  const holds = ({ link, found }: (typeof judged)[number]): boolean => found.standing === 'holds' || !link.needed;
  if (!judged.every(holds) || judged.some(({ found }) => found.standing === 'contradicted')) return null;
  if (unless.some((link: Link) => judgeLink(link, contest).standing === 'holds')) return null;
  return {
    name,
    title,
    standing: 'observed',
    kind,
    links: judged.flatMap(({ found }) => (found.standing === 'holds' ? [found] : [])),
    sources: [...sources],
  };
}
