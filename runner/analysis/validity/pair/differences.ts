import { logVolumeKey } from '../../../contract/log-volume.ts';
import { placeNamed } from '../../../places/registry.ts';
import { type Difference, settingNames, type Side } from '../../undeclared-differences.ts';
import { type CheckDefinition, fail, notAssessed, type PairCheck, pass, type ValidityFacts, warn } from '../check.ts';
import { logVolumes } from './log-volumes.ts';

const makeAlike = { remedy: 'Make both sides match, or declare the difference.', needsEdit: true } as const;

/** Whether the two sides differ only in what was declared, and whether each is as declared. */
function alikeIn(definition: CheckDefinition & { id: Difference['about'] }, onlyDeployed = false): PairCheck {
  return {
    ...definition,
    judge: ({ place }, { differences, fromDeclared }) => {
      if (onlyDeployed && !placeNamed(place.kind).isDeployed) return null;
      const found = wordsAbout(definition.id, [...differences, ...fromDeclared]);
      return found.length > 0 ? fail(found.join('; ')) : pass('identical, or as declared');
    },
  };
}

export const serverVersion = alikeIn({
  id: 'server-version',
  name: 'server version',
  couldChange: 'answer',
  ...makeAlike,
});

export const workload = alikeIn({
  id: 'workload',
  name: 'workload',
  couldChange: 'answer',
  remedy: 'Give both sides the same workload: its data, scripts, options and version.',
  needsEdit: true,
});

export const deployment = alikeIn({ id: 'deployment', name: 'deployment', couldChange: 'answer', ...makeAlike }, true);

export const zone = alikeIn({ id: 'zone', name: 'zone', ...makeAlike }, true);

/**
 * Whether the sides differ in settings that were not declared. Many defaults follow from the class, the version or
 * another parameter; such differences are a warning only.
 */
export const settings: PairCheck = {
  id: 'settings',
  name: 'settings',
  couldChange: 'answer',
  ...makeAlike,
  judge: ({ experiment }, { baseline, candidate, differences, fromDeclared }) => {
    const notInForce = wordsAbout('settings', fromDeclared);
    if (notInForce.length > 0) return fail(notInForce.join('; '));
    if (settingNames(baseline).length === 0) return notAssessed('settings were not read (collect: settings)');
    const found = wordsAbout('settings', differences);
    if (found.length === 0) {
      const unproved = [baseline, candidate].flatMap((side) => unprovedParameters(side, experiment.definition));
      return unproved.length === 0
        ? pass('identical, or as declared')
        : notAssessed(
            `no undeclared difference found, but not confirmed on the server: ${[...new Set(unproved)].join(', ')}`,
          );
    }
    const mayFollow = [...new Set([...baseline.declared.keys(), ...candidate.declared.keys()])].some(
      (key) =>
        key !== logVolumeKey &&
        !key.startsWith('storage.') &&
        baseline.declared.get(key) !== candidate.declared.get(key),
    );
    const words = found.join('; ');
    return mayFollow ? warn(`${words} (this may result from a declared difference)`) : fail(words);
  },
};

/** The check that asks about a difference. */
export const checkAbout: Readonly<Record<Difference['about'], CheckDefinition>> = {
  'server-version': serverVersion,
  workload,
  deployment,
  zone,
  'log-volume': logVolumes,
  settings,
};

function wordsAbout(id: Difference['about'], all: readonly Difference[]): string[] {
  return all.filter(({ about }) => about === id).map(({ words }) => words);
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
