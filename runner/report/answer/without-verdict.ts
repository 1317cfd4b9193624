import type { Comparison } from '../../contract/comparison.ts';
import { capitalise } from '../../contract/format.ts';
import { reasonsInWords } from '../../contract/withheld.ts';
import { metricWords } from '../metric-words.ts';
import { basisOf, describeChange, nameWords, scopeWordsOf } from './change-words.ts';
import type { Answer } from './statement.ts';

/** The answer about a metric that was asked for only after the run. */
export function explore(comparison: Comparison): Answer {
  const { candidate, withheld, change } = comparison;
  const { on, remains } = scopeWordsOf(comparison);
  return {
    candidate: candidate.variant,
    verdict: null,
    headline: `Exploratory, no verdict ${on}: ${describeChange(comparison, change ?? 0, 'was')}.`,
    evidence: `${metricWords(comparison).label}: ${basisOf(comparison)}. ${capitalise(reasonsInWords(withheld))}. For a verdict, declare this metric before the next run.`,
    remains,
    of: comparison,
  };
}

/** Describes two variants, neither of which is the baseline. Only comparisons with the baseline get a verdict. */
export function describeContrast(comparison: Comparison): Answer {
  return {
    candidate: comparison.candidate.variant,
    verdict: null,
    headline: `Extra comparison, ${scopeWordsOf(comparison).on}: ${describeChange(comparison, comparison.change ?? 0, 'was')}.`,
    evidence: `${metricWords(comparison).label}: ${basisOf(comparison)}. Extra comparisons get no verdict.`,
    remains: '',
    of: comparison,
  };
}

export function nothingDeclared(candidate: string): Answer {
  return {
    candidate,
    verdict: null,
    headline: `No verdict on ${nameWords(candidate)}: the experiment declares no deciding metric.`,
    evidence: 'The table shows the measured values.',
    remains: '',
    of: null,
  };
}
