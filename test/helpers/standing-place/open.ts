import type { Experiment } from '../../../runner/contract/experiment/schema.ts';
import type { PlaceOpener } from '../../../runner/places/definition.ts';
import { findPostgresBinaries } from '../../../runner/places/local/choose-binaries.ts';
import type { PlacedTarget } from '../../../runner/places/place.ts';
import { isStanding } from './schema.ts';

export const opener: PlaceOpener = {
  cleanUp: () => Promise.resolve(),
  async prepare(experiment, { pgBindir, environment }) {
    const { folder: programs } = await findPostgresBinaries({
      explicit: pgBindir,
      environment,
      signal: new AbortController().signal,
      needed: 'clients',
    });
    return {
      programs,
      open: () =>
        Promise.resolve({
          kind: 'standing',
          description: 'Servers that were there before',
          caveats: ['Nobody tells what else these servers do.'],
          volumeChecks: [],
          targets: targetsOf(experiment),
          activateOnly: () => Promise.resolve(),
          close: () => Promise.resolve(null),
        }),
    };
  },
};

function targetsOf({ variants }: Experiment): Map<string, PlacedTarget> {
  const neverFails = new AbortController().signal;
  return new Map(
    Object.entries(variants).map(([server, { storage, engine }]) => {
      if (!isStanding(storage)) throw new Error(`${server} is elsewhere`);
      const { host, port, user, database, passwordFile } = storage;
      const target = { server, host, port, user, database, environment: { PGPASSFILE: passwordFile } };
      const asked = { parameters: engine.parameters, version: engine.version ?? null };
      return [server, { ...target, asked, failed: neverFails }];
    }),
  );
}
