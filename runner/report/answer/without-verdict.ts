import type { Comparison } from '../../contract/comparison.ts';
import { capitalise } from '../../contract/format.ts';
import { reasonsInWords } from '../../contract/withheld.ts';
import { metricWords } from '../metric-words.ts';
import { basisOf, describeChange, scopeWordsOf } from './change-words.ts';
import type { Answer } from './statement.ts';

/** The answer about a metric that was asked for only after the run. */
export function explore(comparison: Comparison): Answer {
  const { candidate, withheld, change } = comparison;
  const { on, remains } = scopeWordsOf(comparison);
  return {
    candidate: candidate.variant,
    verdict: null,
    headline: `No verdict ${on}, only an exploration: ${describeChange(comparison, change ?? 0, 'was')}.`,
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
    headline: `Also, ${scopeWordsOf(comparison).on}: ${describeChange(comparison, comparison.change ?? 0, 'was')}.`,
    evidence: `${metricWords(comparison).label}: ${basisOf(comparison)}. This comparison is descriptive and has no verdict.`,
    remains: '',
    of: comparison,
  };
}

export function nothingDeclared(candidate: string): Answer {
  return {
    candidate,
    verdict: null,
    headline: `No verdict on ${candidate}: no metric was declared to decide.`,
    evidence: 'The table describes what was measured.',
    remains: '',
    of: null,
  };
}
