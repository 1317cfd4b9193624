import * as z from 'zod';
import { problemUnless, type RuleProblem } from '../../contract/check.ts';
import { hasLogVolume } from '../../contract/log-volume.ts';
import { namedServices } from '../../contract/experiment/variant.ts';
import { isOfSessions } from '../../postgres/parameters/judge.ts';
import { majorOf } from '../../postgres/versions/known.ts';
import type { PlaceDefinition } from '../definition.ts';
import { existingKinds } from './kinds.ts';

const storageSchema = z
  .strictObject({ type: z.literal('existing').describe('An existing server, which `server` names.') })
  .describe('An existing server. The variant names it with `server`, and this need not be written.');

const seconds = (value: number): { value: number; source: string } => ({ value, source: 'a guess' });

/** Servers that were there before the run, and stay: pgduet owns one database of each. Nobody tells what their disks are. */
export const existing: PlaceDefinition = {
  kind: existingKinds.elsewhere,
  words: 'where they already were',
  storage: [storageSchema],
  isBilled: false,
  isDeployed: false,
  isFound: true,
  isMadeByRun: false,
  sharesMachine: false,
  sampleSeconds: 0.5,
  speeds: { createSeconds: seconds(5), restoreSeconds: seconds(5), restartSeconds: seconds(5) },
  problems: (variant) => {
    const { server, class: instanceClass, deployment } = variant;
    const asItIs = (holds: boolean, path: string[]): RuleProblem[] =>
      problemUnless('server-as-it-is', holds, path, 'an existing server stays as it is; omit this');
    return [
      ...problemUnless(
        'server-service',
        server !== undefined,
        ['server'],
        'missing: expected `server: { service: NAME }`',
        'missing',
      ),
      ...asItIs(!hasLogVolume(variant), ['dedicatedLogVolume']),
      ...asItIs(instanceClass === undefined, ['class']),
      ...asItIs((deployment ?? 'single-az') === 'single-az', ['deployment']),
    ];
  },
  parameterProblem: (name, _, version) =>
    isOfSessions(name, majorOf(version))
      ? null
      : 'no session can set it, and pgduet changes no setting of an existing server; set it there yourself, or compare it on pgduet’s own servers',
  unknownServices: async (variants, lookUp) => {
    const { unknownServices } = await import('./unknown-services.ts');
    return unknownServices(
      namedServices(variants).map(([service]) => service),
      lookUp,
    );
  },
  volumes: () => ({ type: null, sizeGib: null, log: null, standbys: null, areLimited: false }),
  opener: async () => (await import('./open.ts')).opener,
};

/** The same, where at least one of them shares the machine with the load. Only a run finds that out. */
export const existingHere: PlaceDefinition = {
  ...existing,
  kind: existingKinds.here,
  storage: [],
  sharesMachine: true,
};
