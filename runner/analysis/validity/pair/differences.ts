import type { Check } from '../../../contract/check.ts';
import { type Difference, findDifferences, settingNames } from '../../undeclared-differences.ts';
import { fail, notAssessed, pass, warn } from '../findings.ts';
import type { PairCheck } from '../pair-check.ts';

/** Whether the two sides differ in more than was declared. */
export const differences: PairCheck = ({ place }, { baseline, candidate }) => {
  const found = findDifferences(baseline, candidate);
  return [
    judge('server version', found),
    judge('workload', found),
    ...(place.kind === 'deployed' ? [judge('deployment', found), judge('zone', found)] : []),
  ];
};

function judge(name: Difference['about'], all: readonly Difference[]): Check {
  const found = all.filter(({ about }) => about === name).map(({ words }) => words);
  return found.length > 0 ? fail(name, found.join('; ')) : pass(name, 'the same, or as declared');
}

/**
 * Whether settings differ that were not declared. Many defaults follow from the class, the version or another parameter;
 * such differences are a warning only.
 */
export const settings: PairCheck = (_, { baseline, candidate }) => {
  const name = 'settings';
  if (settingNames(baseline).length === 0) {
    return [notAssessed(name, 'they were not read (collect: settings)')];
  }
  const found = findDifferences(baseline, candidate)
    .filter(({ about }) => about === name)
    .map(({ words }) => words);
  if (found.length === 0) return [pass(name, 'the same, or as declared')];
  const mayFollow = [...new Set([...baseline.declared.keys(), ...candidate.declared.keys()])].some(
    (key) =>
      !/^(storage\..*|dedicatedLogVolume)$/.test(key) && baseline.declared.get(key) !== candidate.declared.get(key),
  );
  const words = found.join('; ');
  return [mayFollow ? warn(name, `${words} (this may follow from what was declared)`) : fail(name, words)];
};
