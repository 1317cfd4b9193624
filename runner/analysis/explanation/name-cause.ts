import type { ExplainedMechanism, ExplainedTime } from '../../contract/explanation.ts';
import { valueOf } from '../../metrics/value.ts';
import { settingNumber } from '../../postgres/setting-units.ts';
import { mean } from '../../statistics/summaries.ts';
import { causes } from './causes.ts';
import { type ComparedBlocks, judgeLink } from './judge-link.ts';
import type { Mechanism, Values } from './mechanism.ts';
import { mechanisms } from './mechanisms.ts';
import { planDifference } from './plan-difference.ts';
import type { SideFacts, Size } from './sizes.ts';

/** A cause must be able to carry this part of what the slower side loses in a kind of time. */
const carriedShare = 0.5;

const explainManual = 'https://www.postgresql.org/docs/current/using-explain.html';

/** Every source that an explanation cites. */
export const citedSources: ReadonlySet<string> = new Set([
  explainManual,
  ...[...causes, ...mechanisms].flatMap(({ sources }) => sources),
]);

/** Kinds of time in which a statement is carried out. */
const executing: readonly string[] = ['cpu', 'dataRead', 'temporaryFiles', 'parallel', 'internalLocks'];
const planning =
  /^(enable_\w+|\w+_cost|effective_cache_size|work_mem|hash_mem_multiplier|jit\w*|geqo\w*|\w+_collapse_limit|default_statistics_target|constraint_exclusion|plan_cache_mode|cursor_tuple_fraction|max_parallel_workers\w*|min_parallel_\w+)$/;

type Spender = Size | typeof planDifference;
/** What kinds of time have taken of a size that is one for several of them. */
export type Spent = Map<Spender, number>;

/**
 * What is named for one kind of time, at most one thing, so that none accounts for the time of another: the first of
 *
 * - a setting that acts on it directly;
 * - plans that differ;
 * - what was measured of it, the one that needs the most links first.
 *
 * A cause that cannot carry the time is left out. If several settings could, observation cannot tell which of them it is, and
 * only the place is named. So it is where statements may use other tables or functions: those can carry any time.
 *
 * @param spent by other kinds of time; what this one takes is added
 */
export function nameOf(
  { kind, change }: ExplainedTime,
  compared: ComparedBlocks,
  spent: Spent,
): ExplainedMechanism | null {
  const [slow, fast] = sidesOf(kind, compared);
  const spend = (size: Spender): void => {
    spent.set(size, (spent.get(size) ?? 0) + Math.abs(change));
  };
  const carries = (size: number | null): size is number =>
    size !== null && size > 0 && size >= carriedShare * Math.abs(change);
  const isSearchedElsewhere = differingAmong((setting) => setting === 'search_path', compared).length > 0;
  const mayUseOthers = isSearchedElsewhere || !compared.sqlAlike;
  const look = (some: readonly Mechanism[]): Seen[] =>
    some
      .flatMap((one) => seen(one, kind, { compared, slow, fast, carries, spent }) ?? [])
      .filter(({ named: { settings } }) => !mayUseOthers || settings === undefined);
  const found = look(mechanisms.toSorted((a, b) => needs(b) - needs(a)));
  const [only, ...others] = look(causes);
  if (only) {
    const rivals = [...others, ...found.filter(({ named }) => named.role === 'cause' && named.settings !== undefined)];
    if (rivals.length > 0) return found.find(({ named }) => named.role === 'place')?.named ?? null;
    if (only.size) spend(only.size);
    return only.named;
  }
  const plans = isSearchedElsewhere ? null : planCause(kind, compared, { carries, spent });
  if (!plans) return found[0]?.named ?? null;
  spend(planDifference);
  return plans;
}

interface Weighed {
  compared: ComparedBlocks;
  slow: SideFacts;
  fast: SideFacts;
  carries: (size: number | null) => size is number;
  spent: Spent;
}

interface Seen {
  named: ExplainedMechanism;
  /** What says how much it can explain. */
  size: Size | null;
}

/**
 * The mechanism as the trials show it. It is null in these cases:
 *
 * - it does not act on this kind of time;
 * - the settings are not as it needs them;
 * - a link that it needs does not hold;
 * - the trials contradict any of its links that may not oppose it;
 * - the trials show another cause of the same time, which observation cannot distinguish from it;
 * - it cannot carry the time.
 */
function seen(
  { name, title, kinds, links = [], differingIn, equalIn = [], isSlow = () => true, unless = [], sources }: Mechanism,
  kind: ExplainedTime['kind'],
  { compared, slow, fast, carries, spent }: Weighed,
): Seen | null {
  const sizeOf = Object.entries(kinds).find(([one]) => one === kind)?.[1];
  if (sizeOf === undefined) return null;
  // What is not known of one side need not differ.
  const settings = differingAmong((setting) => differingIn?.includes(setting) ?? false, compared).filter(
    ({ baseline, candidate }) => baseline !== null && candidate !== null,
  );
  if (differingIn && settings.length === 0) return null;
  if (differingAmong((setting) => equalIn.includes(setting), compared).length > 0) return null;
  const [slower, faster] = inOrder(compared.settings, compared).map(
    (values) => (setting: string) => values.get(setting) ?? '',
  ) as [Values, Values];
  if (!isSlow(slower, faster)) return null;
  const judged = links.map((link) => ({ link, found: judgeLink(link, compared) }));
  const isFine = ({ link, found: { standing } }: (typeof judged)[number]): boolean =>
    standing === 'holds' || (!link.needed && (standing !== 'contradicted' || link.mayOppose === true));
  if (!judged.every(isFine)) return null;
  if (unless.some((link) => judgeLink(link, compared).standing === 'holds')) return null;
  const whole = sizeOf?.(slow, fast) ?? null;
  const size = sizeOf === null || whole === null ? null : whole - (spent.get(sizeOf) ?? 0);
  if (sizeOf && !carries(size)) return null;
  return {
    named: {
      name,
      title,
      standing: 'observed',
      ...(size === null ? { role: 'place' } : { role: 'cause', size }),
      kind,
      ...(settings.length > 0 && { settings }),
      links: judged.flatMap(({ found }) => (found.standing === 'holds' ? [found] : [])),
      sources: [...sources],
    },
    size: sizeOf,
  };
}

/** Statements whose plans differ, with the settings that act on plans. */
function planCause(
  kind: ExplainedTime['kind'],
  compared: ComparedBlocks,
  { carries, spent }: Pick<Weighed, 'carries' | 'spent'>,
): ExplainedMechanism | null {
  const found = executing.includes(kind) ? planDifference(compared.counted) : null;
  if (!found) return null;
  const whole = compared.slower === 'candidate' ? found.candidate - found.baseline : found.baseline - found.candidate;
  const size = whole - (spent.get(planDifference) ?? 0);
  if (!carries(size)) return null;
  const settings = differingAmong((setting) => planning.test(setting), compared);
  return {
    name: 'plans-differ',
    title: 'Statements run with other plans',
    standing: 'observed',
    role: 'cause',
    kind,
    size,
    ...(settings.length > 0 && { settings }),
    links: [],
    sources: [explainManual],
  };
}

function differingAmong(
  isAsked: (setting: string) => boolean,
  { settings: { baseline, candidate } }: ComparedBlocks,
): NonNullable<ExplainedMechanism['settings']> {
  const names = [...new Set([...baseline.keys(), ...candidate.keys()])];
  return names
    .filter((name) => isAsked(name) && baseline.get(name) !== candidate.get(name))
    .map((name) => ({ name, baseline: baseline.get(name) ?? null, candidate: candidate.get(name) ?? null }));
}

function needs({ links = [] }: Mechanism): number {
  return links.filter(({ needed }) => needed).length;
}

/** The slower side first. */
function inOrder<T>(sides: Record<'baseline' | 'candidate', T>, { slower }: Pick<ComparedBlocks, 'slower'>): [T, T] {
  return slower === 'candidate' ? [sides.candidate, sides.baseline] : [sides.baseline, sides.candidate];
}

function sidesOf(kind: string, compared: ComparedBlocks): [slow: SideFacts, fast: SideFacts] {
  const factsOf = (side: 'baseline' | 'candidate'): SideFacts => {
    const measure = (name: string): number | null => {
      const values = compared.counted.map((pair) => valueOf({ name }, pair[side]));
      const known = values.flatMap((value) => value ?? []);
      return known.length > 0 && known.length === values.length ? mean(known) : null;
    };
    return {
      measure,
      setting: (name) => settingNumber(compared.settings[side].get(name)),
      seconds: measure(`turn.${kind}`) ?? 0,
    };
  };
  return inOrder({ baseline: factsOf('baseline'), candidate: factsOf('candidate') }, compared);
}
