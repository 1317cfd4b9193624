import type { Result } from '../../contract/result.ts';
import { blocksChart } from './blocks.ts';
import type { Figure } from './figure.ts';
import { latencyChart } from './latency.ts';
import { type ChartSubject, chartSubjects } from './subject.ts';

/** Draws one picture; null if nothing was measured that it could show. */
export type Chart<Data = unknown> = (subject: ChartSubject) => Figure<Data> | null;

/** The pictures of the trials besides those over time. */
export const charts: readonly Chart[] = [blocksChart, latencyChart];

/** The pictures of every level, level by level. */
export function trialFigures(result: Result): Figure[] {
  return chartSubjects(result).flatMap((subject) => charts.flatMap((chart) => chart(subject) ?? []));
}
