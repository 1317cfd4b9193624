import type { Comparison } from '../../contract/comparison.ts';
import { answerBlock } from '../sections/answer.ts';
import { changesByBlock, comparisonBlocks } from '../sections/comparisons.ts';
import { blocksIn } from '../sections/section.ts';
import { answers } from '../view/answer.ts';
import type { AnswerContext } from '../view/statement.ts';
import { comparisonTables } from '../view/comparison-table.ts';
import { renderBlocks } from './blocks.ts';
import type { TerminalOptions } from './terminal-table.ts';

/** Study 1's table for each candidate, with a title if there are several. Below it are the pairs that the estimate used. */
export function renderComparisons(comparisons: readonly Comparison[], options: TerminalOptions): string {
  const tables = comparisonTables(comparisons);
  return renderBlocks(
    blocksIn('terminal', [...comparisonBlocks(tables), ...changesByBlock(comparisons, tables)]),
    options,
  );
}

/** The answer for each candidate: a sentence, and the evidence for it. */
export function renderAnswers(
  comparisons: readonly Comparison[],
  context: AnswerContext,
  options: TerminalOptions,
): string {
  return renderBlocks(answers(comparisons, context).map(answerBlock), options);
}
