import { stringify } from 'yaml';
import { UserError } from '../../contract/errors.ts';
import type { WrittenExperiment } from '../../contract/experiment/schema.ts';
import { isService, sharedServices } from '../../contract/experiment/variant.ts';
import { list, nounFor, withNoun } from '../../contract/format.ts';
import { appliedProfiles } from './profiles.ts';

/**
 * The text of an experiment file that puts the load of an experiment on existing servers: it says what is loaded and
 * measured, and nothing of what the experiment says about its own servers is applied or claimed. Its variants have the
 * names of the services.
 *
 * @param profile that is applied already, and that the text has
 * @param named services in the order of the variants, or each as `variant=service`
 * @throws {UserError} if that is not one service for each variant
 */
export function onServers(experiment: WrittenExperiment, profile: string, named: readonly string[]): string {
  const services = servicesOf(Object.keys(experiment.variants), named);
  const shared = sharedServices(
    Object.fromEntries([...services].map(([variant, service]) => [variant, { server: { service } }])),
  );
  refuseTwins(experiment, shared, named);
  const sharing = shared.flatMap(([, variants]) => variants);
  // Where several have one server, their names set them apart.
  const nameOf = (variant: string): string =>
    sharing.includes(variant) ? variant : nameFor(services.get(variant) ?? '');
  const names = [...services.keys()].map(nameOf);
  if (new Set(names).size < names.length) {
    throw new UserError(`--servers ${named.join(',')}: ${list(names)} would have one name. Rename a service.`);
  }
  const { name, baseline, contrasts, variants, workload, protocol, ladder, decision, collect, sampleSeconds, limits } =
    experiment;
  return stringify({
    name,
    question:
      sharing.length === 0
        ? `How do the servers ${list(names)} compare under the load of ${name}?`
        : `How do ${list(names)} compare under the load of ${name}, on the ${nounFor(new Set(services.values()).size, 'server')} ${list([...new Set(services.values())])}?`,
    variants: Object.fromEntries(
      Object.entries(variants).map(([variant, { prepare, scripts }]) => [
        nameOf(variant),
        { server: { service: services.get(variant) }, ...(prepare && { prepare }), ...(scripts && { scripts }) },
      ]),
    ),
    baseline: nameOf(baseline),
    contrasts: contrasts.map((one) => ({ candidate: nameOf(one.candidate), baseline: nameOf(one.baseline) })),
    ...{ workload, protocol, ladder, decision, collect, limits },
    ...(sampleSeconds !== undefined && { sampleSeconds }),
    profiles: appliedProfiles(profile),
  });
}

/** @throws {UserError} if one server would have two variants that differ in nothing that stays of them there */
function refuseTwins(
  { variants }: WrittenExperiment,
  shared: readonly (readonly [service: string, variants: string[]])[],
  named: readonly string[],
): void {
  for (const [, names] of shared) {
    const own = names.map((name) => JSON.stringify([variants[name]?.prepare, variants[name]?.scripts]));
    const twin = own.findIndex((one, index) => own.indexOf(one) < index);
    if (twin < 0) continue;
    throw new UserError(
      `--servers ${named.join(',')} names a server twice, for ${names[own.indexOf(own[twin] ?? '')]} and ${names[twin]}, which have the same prepare and scripts. Name a different one for each.`,
    );
  }
}

function servicesOf(variants: readonly string[], named: readonly string[]): Map<string, string> {
  const what = `--servers ${named.join(',')}`;
  const wrong = named.find((one) => !isService(one.replace(/^[a-z0-9-]+=/, '')));
  if (wrong !== undefined) {
    throw new UserError(
      // It may hold a password.
      `--servers: expected names of services in pg_service.conf, separated by commas, such as one,two; one of them is something else. Put its host, port, user and dbname into ~/.pg_service.conf, and its password into ~/.pgpass.`,
    );
  }
  const pairs = named.map((one, index) => {
    const [service = '', variant = variants[index] ?? ''] = one.split('=').reverse();
    return [variant, service] as const;
  });
  const unknown = pairs.find(([variant]) => variant !== '' && !variants.includes(variant));
  if (unknown) throw new UserError(`${what}: the experiment has no variant "${unknown[0]}". It has ${list(variants)}.`);
  const services = new Map(pairs);
  if (named.length !== variants.length || services.size !== variants.length) {
    throw new UserError(
      `${what} names ${withNoun(named.length, 'server')}, and the experiment has ${withNoun(variants.length, 'variant')} (${list(variants)}). Name one server for each.`,
    );
  }
  return new Map(variants.map((variant) => [variant, services.get(variant) ?? '']));
}

/** A service's name as a variant may have it: in lower case, with hyphens. */
function nameFor(service: string): string {
  const name = service
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  return /^[a-z]/.test(name) ? name : `server-${name}`.slice(0, 40);
}
