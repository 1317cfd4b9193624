import type { Check } from '../../contract/check.ts';
import { declaredValues, type Difference, findDifferences, type Side } from '../undeclared-differences.ts';
import { checkBlocks, checkOrder, checkOutliers, checkSizes, checkWarmUp } from './block-checks.ts';
import { fail, notAssessed, pass, warn } from './findings.ts';
import { checkLogVolumes } from './log-volume-check.ts';
import type { LedgerFacts, Pair } from './pair.ts';

/** The validity ledger of two variants beside each other. */
export function checkPair(facts: LedgerFacts, pair: Pair): Check[] {
  const [baseline, candidate] = [sideOf(facts, pair, 0), sideOf(facts, pair, 1)] as const;
  const differences = findDifferences(baseline, candidate);
  return [
    checkDifferences('server version', differences),
    checkDifferences('workload', differences),
    checkSettings(differences, baseline, candidate),
    ...(facts.place.kind === 'deployed'
      ? [checkDifferences('deployment', differences), checkDifferences('zone', differences)]
      : []),
    ...checkLogVolumes(facts, pair),
    checkSizes(pair),
    checkBlocks(facts, pair),
    checkOrder(facts),
    checkWarmUp(facts, pair),
    checkOutliers(facts, pair),
  ];
}

function sideOf(facts: LedgerFacts, pair: Pair, index: 0 | 1): Side {
  const label = index === 0 ? pair.baseline : pair.candidate;
  return {
    label,
    measured: pair.blocks.map((block) => block[index]),
    variant: facts.variants.find(({ name }) => name === label) ?? null,
    declared: declaredValues(facts, label),
  };
}

function checkDifferences(name: Difference['about'], differences: readonly Difference[]): Check {
  const found = differences.filter(({ about }) => about === name).map(({ words }) => words);
  return found.length > 0 ? fail(name, found.join('; ')) : pass(name, 'the same, or as declared');
}

/** Many defaults follow from the class, the version or another parameter: these differences are to be known, not a flaw. */
function checkSettings(differences: readonly Difference[], baseline: Side, candidate: Side): Check {
  const name = 'settings';
  const found = differences.filter(({ about }) => about === name).map(({ words }) => words);
  if (baseline.variant === null || Object.keys(baseline.variant.settings).length === 0) {
    return notAssessed(name, 'they were not read (collect: settings)');
  }
  if (found.length === 0) return pass(name, 'the same, or as declared');
  const mayFollow = [...new Set([...baseline.declared.keys(), ...candidate.declared.keys()])].some(
    (key) =>
      !/^(storage\..*|dedicatedLogVolume)$/.test(key) && baseline.declared.get(key) !== candidate.declared.get(key),
  );
  const words = found.join('; ');
  return mayFollow ? warn(name, `${words} (this may follow from what was declared)`) : fail(name, words);
}
