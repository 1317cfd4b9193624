import * as z from 'zod';
import type { Variant } from '../../runner/contract/experiment/variant.ts';
import type { PlaceDefinition, PlaceOpener } from '../../runner/places/definition.ts';
import { findPostgresBinaries } from '../../runner/places/local/choose-binaries.ts';
import type { PlacedTarget } from '../../runner/places/place.ts';

const storageSchema = z.strictObject({
  type: z.literal('standing'),
  host: z.string().min(1),
  port: z.int().min(1).max(65_535),
  user: z.string().min(1),
  database: z.string().min(1),
  passwordFile: z.string().describe('In the form of .pgpass.'),
});

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
      ? [{ path: ['dedicatedLogVolume'], message: 'nobody moves the WAL of an existing server; leave it out' }]
      : [],
  volumes: () => ({ type: null, sizeGib: null, log: null, standbys: null, areLimited: false }),
  opener: () => Promise.resolve(opener),
};

const opener: PlaceOpener = {
  cleanUp: () => Promise.resolve(),
  async prepare({ variants }, { pgBindir, environment, signal }) {
    const { folder } = await findPostgresBinaries({ explicit: pgBindir, environment, signal, needed: 'clients' });
    const targets = new Map(Object.entries(variants).map(([server, variant]) => [server, targetOf(server, variant)]));
    const place = {
      kind: standing.kind,
      description: 'Servers that were there before',
      caveats: ['Nobody tells what else these servers do.'],
      volumeChecks: [],
      targets,
      activateOnly: () => Promise.resolve(),
      close: () => Promise.resolve(null),
    };
    return { programs: folder, open: () => Promise.resolve(place) };
  },
};

function targetOf(server: string, { storage, engine }: Variant): PlacedTarget {
  const { host, port, user, database, passwordFile } = storageSchema.parse(storage);
  return {
    ...{ server, host, port, user, database, environment: { PGPASSFILE: passwordFile } },
    asked: { parameters: engine.parameters, version: engine.version ?? null },
    failed: new AbortController().signal,
  };
}
