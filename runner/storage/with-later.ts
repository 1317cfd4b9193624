import { type LaterFindings, laterSeriesFile, type Trial } from '../contract/trial.ts';
import { mergeFindings } from './merge-findings.ts';

/** The trial with what sources found later, in place of what the same sources had found before. */
export function withLater(trial: Trial, later: readonly LaterFindings[]): Trial {
  const asked = later.map(({ collector }) => collector);
  const files = asked.map(laterSeriesFile);
  return {
    ...trial,
    ...mergeFindings([{ ...trial, facts: withoutAbsence(trial.facts, asked) }, ...later]),
    series: [
      ...trial.series.filter(({ file }) => !files.includes(file)),
      ...later.flatMap(({ series }) => series ?? []),
    ],
  };
}

/** What kept a source from answering may have passed. */
function withoutAbsence({ absent, ...facts }: Trial['facts'], collectors: readonly string[]): Trial['facts'] {
  const others = Object.entries(absent ?? {}).filter(([name]) => !collectors.includes(name));
  return others.length === 0 ? facts : { ...facts, absent: Object.fromEntries(others) };
}
