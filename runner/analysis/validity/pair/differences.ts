import { placeNamed } from '../../../places/registry.ts';
import type { Check } from '../../../contract/check.ts';
import {
  type Difference,
  differencesFromDeclared,
  findDifferences,
  settingNames,
  type Side,
} from '../../undeclared-differences.ts';
import { fail, notAssessed, type PairCheck, pass, type ValidityFacts, warn } from '../check.ts';

/** Whether the two sides differ only in what was declared, and whether each is as declared. */
export const differences: PairCheck = ({ place }, { baseline, candidate }) => {
  const found = [...findDifferences(baseline, candidate), ...fromDeclared([baseline, candidate], place)];
  return [
    judge('server version', found),
    judge('workload', found),
    ...(placeNamed(place.kind).isDeployed ? [judge('deployment', found), judge('zone', found)] : []),
  ];
};

function judge(name: Difference['about'], all: readonly Difference[]): Check {
  const found = all.filter(({ about }) => about === name).map(({ words }) => words);
  return found.length > 0 ? fail(name, found.join('; ')) : pass(name, 'the same, or as declared');
}

/**
 * Whether the sides differ in settings that were not declared. Many defaults follow from the class, the version or
 * another parameter; such differences are a warning only.
 */
export const settings: PairCheck = ({ experiment, place }, { baseline, candidate }) => {
  const name = 'settings';
  const sides = [baseline, candidate];
  const notInForce = fromDeclared(sides, place).filter(({ about }) => about === name);
  if (notInForce.length > 0) return [fail(name, notInForce.map(({ words }) => words).join('; '))];
  if (settingNames(baseline).length === 0) {
    return [notAssessed(name, 'they were not read (collect: settings)')];
  }
  const found = findDifferences(baseline, candidate)
    .filter(({ about }) => about === name)
    .map(({ words }) => words);
  const unproved = sides.flatMap((side) => unprovedParameters(side, experiment.definition));
  if (found.length === 0) {
    return [
      unproved.length === 0
        ? pass(name, 'the same, or as declared')
        : notAssessed(
            name,
            `the same, but it is not proved that ${[...new Set(unproved)].join(', ')} was in force as declared`,
          ),
    ];
  }
  const mayFollow = [...new Set([...baseline.declared.keys(), ...candidate.declared.keys()])].some(
    (key) =>
      !/^(storage\..*|dedicatedLogVolume)$/.test(key) && baseline.declared.get(key) !== candidate.declared.get(key),
  );
  const words = found.join('; ');
  return [mayFollow ? warn(name, `${words} (this may follow from what was declared)`) : fail(name, words)];
};

function fromDeclared(sides: readonly Side[], place: ValidityFacts['place']): Difference[] {
  return sides.flatMap((side) => differencesFromDeclared(side, { deployed: placeNamed(place.kind).isDeployed }));
}

/** Names of parameters that were declared for a side, but were not found in force on all of its servers. */
function unprovedParameters(
  { label, servers }: Side,
  { variants }: ValidityFacts['experiment']['definition'],
): string[] {
  const isProved = (name: string): boolean =>
    servers.every(({ parameters }) => parameters?.some((one) => one.name === name && one.inForce === true));
  return Object.keys(variants[label]?.engine.parameters ?? {}).filter((name) => !isProved(name));
}
