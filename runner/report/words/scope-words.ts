import { type Comparison, leavesOutExchanges, replicasOf, type Scope } from '../../contract/comparison.ts';
import { countInWords } from './quantities.ts';

/** For what an answer holds, as it stands in its sentence, and what it cannot tell. */
export interface ScopeWords {
  /** Such as `in this start` (its servers made, loaded and measured once) or `on these two instances`. */
  on: string;
  /** A sentence. */
  remains: string;
}

const words: Record<Scope, ScopeWords> = {
  'this-machine': {
    on: 'in this start',
    remains:
      'Another start, with servers made and loaded anew, may differ by more than the blocks of this one; other machines and RDS were not tried.',
  },
  'these-instances': {
    on: 'on these two instances',
    remains:
      'What sets the two apart besides, such as their hosts and volumes, looks the same as an effect of the configuration; a crossover or replicas would tell them apart. Another start, with the data loaded anew, was not tried.',
  },
  'hosts-cancelled': {
    on: 'on these two instances with their hosts cancelled out',
    remains:
      'Each instance was both variants by turns, and a host may have changed once in mid-run: the interval holds without the pairs of any one exchange of the log volumes. But few log volumes were tried, and what one variant left behind for the other does not cancel out.',
  },
  configurations: {
    on: 'for these configurations',
    remains:
      'It takes the pairs of instances as a sample of what RDS gives; other hours, Regions and sizes were not tried.',
  },
};

/** For what a comparison holds. */
export function scopeWordsOf(comparison: Comparison): ScopeWords {
  return scopeWords(comparison.scope, replicasOf(comparison), { hostsMayChange: leavesOutExchanges(comparison) });
}

/**
 * @param scope null for runs of which nothing more is known
 * @param replicas pairs of instances
 * @param options.hostsMayChange of a crossover: whether its interval holds also then
 */
export function scopeWords(
  scope: Scope | null,
  replicas = 1,
  { hostsMayChange = false }: { hostsMayChange?: boolean } = {},
): ScopeWords {
  if (scope === null) return unknown;
  if (scope === 'hosts-cancelled' && !hostsMayChange) return oneExchange;
  if (scope !== 'these-instances' || replicas === 1) return words[scope];
  return {
    on: `on these ${countInWords(replicas)} pairs of instances`,
    remains: `So few pairs are no sample of what RDS gives: what each of them showed only describes the configurations.`,
  };
}

/** One exchange cannot tell a host that changed in mid-run from the variant (statistics.md, scopes). */
const oneExchange: ScopeWords = {
  on: `${words['hosts-cancelled'].on}, assuming that neither host changed in mid-run`,
  remains:
    'Each instance was both variants, but one pair of log volumes was tried, and what one half left behind for the other does not cancel out.',
};

const unknown: ScopeWords = {
  on: 'in these runs',
  remains:
    'For a verdict, measure both in one experiment: `npx pgduet init NAME` writes its file, and `npx pgduet load-run NAME` draws the order by chance.',
};
