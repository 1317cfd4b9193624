import { list, nounFor, withNoun } from '../../contract/format.ts';
import { UserError, wordsOf } from '../../contract/errors.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { sharedServices } from '../../contract/experiment/variant.ts';
import { ownCommand } from '../../contract/own-command.ts';
import { withConnection } from '../../postgres/connect.ts';
import { completeEmptying } from '../../postgres/database-sessions.ts';
import { copyOf } from '../../postgres/loaded-copy.ts';
import { nameOfOwn, requireOwn } from '../../postgres/own-database.ts';
import { missingRights } from '../../postgres/predefined-roles.ts';
import { isOnThisMachine, outsideLoad, type ServiceTarget } from '../../postgres/target.ts';
import { toolOf } from '../../workloads/registry.ts';
import type { OpenOptions, PlaceOpener, PreparedPlace } from '../definition.ts';
import { findPostgresBinaries } from '../local/choose-binaries.ts';
import type { Place, PlacedTarget } from '../place.ts';
import { forEachServer } from '../servers-failed.ts';
import { existingKinds } from './kinds.ts';
import { type Activity, activityOn, examineServer, refuseSameServer } from './examine-server.ts';
import { libpqEnvironment } from './libpq-environment.ts';
import { forgetDatabase, limitFor, noteDatabase, type OwnDatabase } from './notes.ts';
import { findPostmaster, requireRoomHere } from './on-this-machine.ts';
import { findService, removeDatabase } from './service.ts';

/** Existing servers: finds them by their services, and makes a database on each. */
export const opener: PlaceOpener = {
  // What a killed run left is used by the next run of the same experiment, or found by `clean`.
  cleanUp: () => Promise.resolve(),
  prepare,
};

async function prepare(experiment: Experiment, options: OpenOptions): Promise<PreparedPlace> {
  const tool = toolOf(experiment.workload);
  if (tool.needsAddress) {
    throw new UserError(
      `workload.tool is ${tool.name}, which cannot find a server by its service. Choose another tool, or measure pgduet’s own servers.`,
    );
  }
  const { pgBindir, environment, signal, clients } = options;
  const { folder: programs } = await findPostgresBinaries({
    explicit: pgBindir,
    environment,
    signal,
    needed: 'clients',
  });
  const own = {
    mark: `Made by pgduet for the experiment ${experiment.name}, and dropped by it. pgduet writes to no database without this comment.`,
  };
  const libpq = { programs, environment: libpqEnvironment(environment) };
  const targets: ServiceTarget[] = [];
  const sharing = new Map(sharedServices(experiment.variants));
  const named = Object.entries(experiment.variants).map(
    ([
      variant,
      {
        server,
        engine: { parameters },
      },
    ]) => {
      if (server === undefined) throw new Error(`${variant} has no service`);
      const { service } = server;
      return {
        variant,
        service,
        parameters,
        database: nameOfOwn(experiment.name, sharing.has(service) ? variant : undefined),
      };
    },
  );
  for (const { variant, service, parameters, database } of named) {
    // A session looks at all databases of its server, so they have one limit.
    const here = named.filter((one) => one.service === service);
    const limit = targets.find((one) => one.service.name === service)?.service.limit ?? limitFor(options.results, here);
    targets.push(await findService({ ...own, service, database, limit, parameters }, variant, libpq, signal));
  }
  // Each server once. The database of the run need not be there yet.
  const homes = targets
    .filter(({ service }, index) => targets.findIndex((one) => one.service.name === service.name) === index)
    .map(outsideLoad);
  const found = await Promise.all(
    homes.map((home) => {
      const { length: databases } = sharing.get(home.service.name) ?? [home];
      // A session holds the lock of each database.
      return examineServer(home, clients + databases - 1, signal);
    }),
  );
  await refuseSameServer(homes, signal);
  const activity = await Promise.all(homes.map((home) => activityOn(home, signal)));
  const busy = homes.flatMap((target, index) => activityWords(target, activity[index] ?? null));
  if (busy.length > 0 && !options.allowActivity) {
    throw new UserError(
      `Others use these servers, so their load would be measured, too:\n${busy.map((line) => `  ${line}`).join('\n')}\nWait until they are quiet, or measure anyway with --allow-activity.`,
    );
  }
  const here = homes.filter(isOnThisMachine);
  const postmasters = new Map<string, number>();
  for (const home of here) {
    const postmaster = await withConnection(home, findPostmaster, signal);
    const databases = targets.filter(({ service }) => service.name === home.service.name);
    if (postmaster !== null) for (const { server } of databases) postmasters.set(server, postmaster);
  }
  const versions = [
    ...new Set(found.map(({ version, service }) => (service === null ? version : `${version} (${service})`))),
  ].join(' and ');
  const names = homes.map(({ service }) => service.name);
  return {
    programs,
    open: () =>
      openExisting(targets, {
        ...options,
        description: `PostgreSQL ${versions} on existing servers, by the ${nounFor(names.length, 'service')} ${list(names)}`,
        kind: here.length > 0 ? existingKinds.here : existingKinds.elsewhere,
        caveats: [
          ...busy.map((line) => `Others use a server: ${line}.`),
          ...found.flatMap(({ missingRoles, role }, index) => {
            const rights = missingRights(missingRoles, role);
            return rights === null ? [] : [`${homes[index]?.server ?? ''}: ${rights}.`];
          }),
          ...(here.length > 0 && here.length < homes.length
            ? [
                `Only ${list(here.map(({ server }) => server))} shares this machine with the load, which uses CPU that the others do not lose.`,
              ]
            : []),
        ],
        experiment,
        postmasters,
      }),
  };
}

function activityWords({ server }: ServiceTarget, activity: Activity | null): string[] {
  if (activity === null) return [];
  const { perSecond, open } = activity;
  return [
    `${server}: ${withNoun(Math.round(perSecond), 'transaction')} a second${open > 0 ? `, ${withNoun(open, 'transaction')} open all the time` : ''}`,
  ];
}

async function openExisting(
  targets: readonly ServiceTarget[],
  {
    kind,
    description,
    caveats,
    experiment,
    postmasters,
    allowActivity,
    kept,
    results,
    signal,
    warn,
  }: OpenOptions &
    Pick<Place, 'kind' | 'description' | 'caveats'> & {
      experiment: Experiment;
      /** First processes of the servers that this machine shows, by the names of the servers. */
      postmasters: Map<string, number>;
    },
): Promise<Place> {
  if (results === undefined) throw new Error('databases are made only for a run');
  const owned = await Promise.all(
    targets.map((target) =>
      withConnection(
        outsideLoad(target),
        async (client) => {
          // Where trials begin with the loaded data, a copy of the database is made and dropped, too.
          const databases = [copyOf(target), target.database];
          const found = [];
          for (const database of databases) found.push(await requireOwn(client, target, database));
          return found.at(-1);
        },
        signal,
      ),
    ),
  );
  const unloaded = targets.find((_, index) => owned[index] === 'absent');
  if (kept && unloaded) {
    throw new UserError(
      `${unloaded.server}: nothing is loaded yet. Load first with ${ownCommand} load, or load and measure with load-run.`,
    );
  }
  if (!kept) {
    const empty = targets.filter((_, index) => owned[index] === 'absent').map(({ server }) => server);
    requireRoomHere(experiment, new Map([...postmasters].filter(([server]) => empty.includes(server))));
  }
  for (const target of targets) {
    await noteDatabase(results, noteOf(target));
    await completeEmptying(target, signal);
  }
  const byServer = new Map(targets.map((target) => [target.server, target]));
  return {
    kind,
    description,
    caveats,
    removableCaveats: caveats,
    ...(allowActivity && { allowActivity }),
    volumeChecks: [],
    targets: new Map(
      targets.map((target): [string, PlacedTarget] => [
        target.server,
        {
          ...target,
          asked: askedOf(experiment, target.server),
          failed: new AbortController().signal,
        },
      ]),
    ),
    // Somebody may have put another database in the place of ours since the trial before.
    activateOnly: (servers, until) =>
      forEachServer(servers.length > 0 ? servers : byServer.keys(), until, async (server) => {
        const target = byServer.get(server);
        if (!target) return;
        await withConnection(
          outsideLoad(target),
          async (client) => {
            await requireOwn(client, target, target.database);
            // It may have been restarted, too.
            const postmaster = postmasters.has(server) ? await findPostmaster(client) : null;
            if (postmaster !== null) postmasters.set(server, postmaster);
          },
          until,
        );
      }),
    ownProcesses: () => [...new Set(postmasters.values())],
    async close({ keep }) {
      if (keep || kept) {
        return `The databases ${targets.map(({ server, database }) => `${database} on ${server}`).join(' and ')} stay. Remove them with: ${ownCommand} clean`;
      }
      for (const target of targets) {
        try {
          // Also after Ctrl-C.
          await removeDatabase(target, AbortSignal.timeout(removalSeconds * 1000));
          forgetDatabase(results, noteOf(target));
        } catch (error) {
          warn(`${wordsOf(error)} To remove the database later: ${ownCommand} clean`);
        }
      }
      return null;
    },
  };
}

const removalSeconds = 60;

function askedOf({ variants }: Experiment, variant: string): PlacedTarget['asked'] {
  const { version = null, parameters = {} } = variants[variant]?.engine ?? {};
  return { version, parameters };
}

function noteOf({ database, service: { name: service, mark, limit } }: ServiceTarget): OwnDatabase {
  return { service, database, mark, limit };
}
