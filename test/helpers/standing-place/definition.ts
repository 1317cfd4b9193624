import type { PlaceDefinition } from '../../../runner/places/definition.ts';
import { storageSchema } from './schema.ts';

const none = { value: 0, source: 'the servers are there' };

/** Servers that somebody else has started, and that stay when a run has ended. Nobody tells what their disks are. */
export const standing: PlaceDefinition = {
  kind: 'standing',
  words: 'where they were before the run',
  storage: [storageSchema],
  isBilled: false,
  isDeployed: false,
  isMadeByRun: false,
  sharesMachine: false,
  sampleSeconds: 0.5,
  speeds: { createSeconds: none, restoreSeconds: none, restartSeconds: none },
  problems: ({ dedicatedLogVolume }) =>
    dedicatedLogVolume
      ? [
          {
            path: ['dedicatedLogVolume'],
            message: 'nobody moves the WAL of a server that is there already; leave it out',
          },
        ]
      : [],
  connections: () => null,
  warnings: () => [],
  volumes: () => ({ type: null, sizeGib: null, log: null, standbys: null, areLimited: false }),
  opener: async () => (await import('./open.ts')).opener,
};
