import { type Comparison, leavesOutExchanges, replicasOf, type Scope } from '../../contract/comparison.ts';
import { countInWords } from './quantities.ts';

/** What an answer holds for, in the words of its sentence, and what it cannot show. */
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
      'Other differences between the two, such as their hosts and volumes, look the same as an effect of the configuration; a crossover or replicas would separate them. Another start, with the data loaded anew, was not tried.',
  },
  'hosts-cancelled': {
    on: 'on these two instances with their hosts cancelled out',
    remains:
      'Each instance was each variant in turn. A host may have changed once in mid-run: the interval also holds without the pairs of any one exchange of the log volumes. But few log volumes were tried, and what one variant left behind for the other does not cancel out.',
  },
  configurations: {
    on: 'for these configurations',
    remains:
      'This treats the pairs of instances as a sample of what RDS provides; other hours, Regions and sizes were not tried.',
  },
};

/** What a comparison holds for. */
export function scopeWordsOf(comparison: Comparison): ScopeWords {
  return scopeWords(comparison.scope, replicasOf(comparison), { hostsMayChange: leavesOutExchanges(comparison) });
}

/**
 * @param scope null for runs about which nothing more is known
 * @param replicas pairs of instances
 * @param options.hostsMayChange for a crossover: whether its interval holds even if a host changes
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
    remains: `So few pairs are no sample of what RDS provides: what each pair showed only describes the configurations.`,
  };
}

/** One exchange cannot separate a host that changed in mid-run from the variant (statistics.md, scopes). */
const oneExchange: ScopeWords = {
  on: `${words['hosts-cancelled'].on}, assuming that neither host changed in mid-run`,
  remains:
    'Each instance was both variants, but only one pair of log volumes was tried, and what one half left behind for the other does not cancel out.',
};

const unknown: ScopeWords = {
  on: 'in these runs',
  remains:
    'For a verdict, measure both in one experiment: `npx pgduet init NAME` writes its file, and `npx pgduet load-run NAME` draws a random order.',
};
