import type { VariantFindings } from '../collect/collector.ts';
import type { ResultVariant, RunRecord } from '../contract/run-record.ts';
import { serverName, serversOf } from '../contract/server.ts';
import { toolVersion } from '../contract/versioned-file.ts';
import { targetAt } from '../places/place.ts';
import { withConnection } from '../postgres/connect.ts';
import { readInForce, unprovedParameters } from '../postgres/in-force.ts';
import type { ActiveRun } from './execution.ts';

/** What the servers of the variants say about themselves. pgduet asks them once, while all of them run. */
export async function describeVariants({
  place,
  plan,
  experiment,
  collectors,
  costs,
}: ActiveRun): Promise<ResultVariant[]> {
  const described: ResultVariant[] = [];
  for (const server of serversOf(plan.variants, plan.replicas)) {
    const { variant: name, replica } = server;
    const target = targetAt(place, server);
    const definition = experiment.variants[name];
    const cost = costs?.get(name);
    const { findings, version, parameters, build } = await withConnection(target, async (client) => {
      const findings: VariantFindings[] = [];
      for (const collector of collectors) {
        const names = Object.keys(target.asked.parameters);
        const told = await collector.describe?.({ variant: name, parameters: names, database: (use) => use(client) });
        if (told) findings.push(told);
      }
      const { rows } = await client.query<{ build: string }>('SELECT version() AS build');
      return { findings, build: rows[0]?.build, ...(await readInForce(client, target.asked.parameters)) };
    });
    described.push({
      name,
      ...(replica === undefined ? {} : { replica: Number(replica) }),
      description: definition?.description ?? null,
      serverVersion: version,
      ...(build === undefined ? {} : { serverBuild: build }),
      settings: Object.assign({}, ...findings.map(({ settings }) => settings ?? {})) as Record<string, string>,
      parameters,
      ...(target.deployed ? { deployed: target.deployed } : {}),
      ...(cost ? { cost } : {}),
    });
  }
  return described;
}

/** Everything that is known about a run before its first trial. */
export function runRecord(running: ActiveRun, variants: ResultVariant[]): RunRecord {
  const { plan, experiment, place } = running;
  return {
    toolVersion,
    experiment: {
      name: experiment.name,
      question: experiment.question,
      profile: plan.profile,
      baseline: experiment.baseline,
      seed: plan.seed,
      definition: experiment,
      file: running.kept.experimentFile,
    },
    place: {
      kind: place.kind,
      description: place.description,
      caveats: [...place.caveats],
      volumes: [...place.volumeChecks],
      ...(place.volumesKind && { volumesKind: place.volumesKind }),
      ...(place.bill ? { bill: place.bill } : {}),
    },
    ...running.driver,
    ...(running.ceilings?.length && { ceilings: [...running.ceilings] }),
    startedAt: running.startedAt.toISOString(),
    variants,
    warnings: [...plan.warnings, ...unproved(variants)],
  };
}

function unproved(variants: readonly ResultVariant[]): string[] {
  return variants.flatMap(
    ({ name, replica, parameters = [] }) =>
      unprovedParameters(serverName({ variant: name, replica }), { parameters }) ?? [],
  );
}
