import { type Warning, warningsOf } from '../../contract/warnings.ts';
import type { z } from 'zod';
import type { ReadableLoad } from '../file/check-files.ts';
import { isMap, type Plain, valueAt } from '../file/profiles.ts';
import { experimentSchema } from '../schema.ts';
import type { WrittenExperiment } from '../../contract/experiment/schema.ts';
import type { StoredVariant, Variant } from '../../contract/experiment/variant.ts';
import { hasLogVolume } from '../../contract/log-volume.ts';
import { type RuleProblem, problemUnless } from '../../contract/check.ts';
import { type FullTool, toolOf, tools } from '../../workloads/registry.ts';
import type { Download } from '../../workloads/tool.ts';
import { deployProblems } from '../../rds/deploy/deployable.ts';
import { decisionProblems, ladderProblems } from './decision-rules.ts';
import { loadingWarnings, parameterProblems, programWarnings, unsyncedWarnings } from './parameter-rules.ts';
import { scriptsOfVariantsProblems } from './script-rules.ts';
import {
  classProblems,
  type NamedVariant,
  placeProblems,
  poolerPlaceProblems,
  sharedServerProblems,
  variantProblems,
  variantWarnings,
} from './variant-rules.ts';
import {
  crossoverProblems,
  protocolProblems,
  replicaProblems,
  resetProblems,
  restoreProblems,
} from './protocol-rules.ts';
import type { PlaceDefinition } from '../../places/definition.ts';
import { declaredVolumes, placeOfStorage, placeOfType } from '../../places/registry.ts';
import { type Needed, neededRoom, usableBytes } from '../../places/needed-room.ts';
import { ownConnections } from '../../postgres/target.ts';
import { maxClients } from '../plan/design.ts';
import { withNoun } from '../../contract/format.ts';

export interface RuleFindings {
  problems: RuleProblem[];
  warnings: Warning[];
  /** What is valid of the workload and of the variants, with the tool, unless the tool is unknown. */
  load: ReadableLoad | null;
}

/**
 * Checks rules that concern more than one value. They run on the values that are each valid, so that a mistake in one
 * place does not hide another.
 *
 * @param inFolders whether servers on this machine get plain folders, which have no size
 */
export function checkRules(merged: Plain, inFolders: boolean): RuleFindings {
  if (!isMap(merged)) return { problems: [], warnings: [], load: null };
  const { shape } = experimentSchema;
  const valid = wellFormed(shape, merged);
  const { collect, network, data } = valid;
  const protocol = wellFormed(shape.protocol.unwrap().shape, merged['protocol']);
  const ladder = wellFormed(shape.ladder.unwrap().shape, merged['ladder']);
  const decision = wellFormed(shape.decision.unwrap().shape, merged['decision']);
  const driver = wellFormed(shape.driver.unwrap().shape, merged['driver']);
  const rawVariants = isMap(merged['variants']) ? merged['variants'] : {};
  const variants = Object.entries(rawVariants).map(([name, raw]) => [name, validVariant(raw)] as const);
  const [place] = Object.values(rawVariants).flatMap((raw) => placeNamedIn(raw) ?? []);
  const tool = tools.find(({ name }) => name === valueAt(merged, ['workload', 'tool']));
  const workload = tool ? wellFormed(tool.schema.shape, merged['workload']) : {};
  const workloadFindings = within(['workload'], tool?.problems(workload) ?? []);
  const rawWorkload = isMap(merged['workload']) ? merged['workload'] : {};
  const hasAllLists = Object.entries(rawWorkload).every(([key, value]) => !Array.isArray(value) || key in workload);
  const hasThreshold = valueAt(merged, ['decision', 'practicalThreshold']) !== undefined;
  const problemsOfTool = (known: FullTool): RuleProblem[] => [
    ...workloadFindings,
    ...known.experimentProblems(workload, {
      warmUpSeconds: protocol.warmUpSeconds,
      phaseSeconds: protocol.phaseSeconds,
      collect,
      reset: protocol.reset,
    }),
    ...(place?.isDeployed === true ? downloadProblems(network, known.driver.downloads?.(workload) ?? null) : []),
    ...scriptsOfVariantsProblems(variants, known, workload),
    ...within(['protocol'], resetProblems(protocol, known)),
    ...within(['ladder'], ladderProblems(ladder, protocol, { tool: known, workload, hasAllLists, collect })),
    ...decisionProblems(decision, collect, { tool: known, workload, variants, hasThreshold }),
  ];
  return {
    problems: [
      ...variants.flatMap(([name, variant]) =>
        within(
          ['variants', name],
          [...variantProblems(variant), ...parameterProblems(variant, placeNamedIn(rawVariants[name]))],
        ),
      ),
      ...placeProblems(variants),
      ...sharedServerProblems(variants, protocol.order),
      ...classProblems(['driver', 'class'], driver.class),
      ...within(['protocol'], protocolProblems(protocol)),
      ...crossoverProblems(protocol, variants, place),
      ...replicaProblems(protocol, place),
      ...restoreProblems(data, place, tool?.restores(workload) ?? null, variants),
      ...(tool ? problemsOfTool(tool) : []),
      ...(place?.isDeployed === true
        ? deployProblems({
            ...valid,
            driver: driver.class === undefined ? undefined : { class: driver.class },
            workload: tool && { ...workload, tool: tool.name },
            variants: Object.fromEntries(variants),
            tool,
          })
        : []),
      ...(valid.workload && valid.protocol && workloadFindings.length === 0
        ? sizeProblems({ workload: valid.workload, protocol: valid.protocol }, variants, inFolders)
        : []),
    ],
    warnings: [
      ...warningsOf('variants', variantWarnings(variants)),
      ...warningsOf('loading', loadingWarnings(variants)),
      ...warningsOf('program-of-parameter', programWarnings(variants)),
      ...warningsOf('unsynced', unsyncedWarnings(variants, place)),
    ],
    load: tool ? { tool, workload, variants: Object.fromEntries(variants) } : null,
  };
}

/** The place of a variant, even if something else in its storage is wrong. */
function placeNamedIn(raw: Plain | undefined): PlaceDefinition | undefined {
  return placeOfType(valueAt(raw, ['storage', 'type']));
}

/** What is valid of a variant, also of its parameters: each is judged by itself. */
function validVariant(raw: Plain): Partial<Variant> {
  const { shape } = experimentSchema.shape.variants.valueType;
  const engineShape = shape.engine.unwrap().shape;
  const declared = valueAt(raw, ['engine', 'parameters']);
  const parameters = Object.entries(isMap(declared) ? declared : {}).flatMap(([name, value]) => {
    const parsed = engineShape.parameters.safeParse({ [name]: value });
    return parsed.success ? Object.entries(parsed.data) : [];
  });
  const { version, source } = wellFormed(engineShape, valueAt(raw, ['engine']));
  return { ...wellFormed(shape, raw), engine: { version, source, parameters: Object.fromEntries(parameters) } };
}

/** A problem if the driver needs something from the internet, but has no path to it. */
function downloadProblems(network: WrittenExperiment['network'] | undefined, download: Download | null): RuleProblem[] {
  if (network?.mode !== 'private' || download === null) return [];
  const message = `the driver has no internet access, so it cannot download ${download.what}; ${download.remedy}, or set this to public-driver`;
  return [{ rule: 'driver-download', path: ['network', 'mode'], message }];
}

function within(path: string[], problems: readonly RuleProblem[]): RuleProblem[] {
  return problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }));
}

/** The values of a map that are each valid, with their defaults. */
export function wellFormed<Shape extends z.ZodRawShape>(
  shape: Shape,
  raw: Plain | undefined,
): Partial<z.output<z.ZodObject<Shape>>> {
  const values = isMap(raw) ? raw : {};
  const entries = Object.entries(shape).flatMap(([key, schema]) => {
    const parsed = (schema as z.ZodType).safeParse(values[key]);
    return parsed.success ? [[key, parsed.data]] : [];
  });
  return Object.fromEntries(entries) as Partial<z.output<z.ZodObject<Shape>>>;
}

type Sized = Pick<WrittenExperiment, 'workload' | 'protocol'>;

/**
 * Foreseeable failures: things that will not fit, which would otherwise show only after loading. The sizes are those
 * that the plan expects.
 */
function sizeProblems(experiment: Sized, variants: readonly NamedVariant[], inFolders: boolean): RuleProblem[] {
  // Servers on this machine have limited volumes only if a variant has limits.
  const areLimited = variants.some(
    ([, { storage, ...variant }]) => storage && declaredVolumes({ ...variant, storage }).areLimited,
  );
  return variants.flatMap(([name, variant]) => {
    const { storage, engine } = variant;
    const lackOfRoom =
      storage && engine ? roomProblems(experiment, { ...variant, storage, engine }, inFolders || !areLimited) : [];
    return within(
      ['variants', name],
      [...lackOfRoom, ...connectionProblems(experiment, variant), ...poolerProblems(experiment, variant)],
    );
  });
}

function poolerProblems(experiment: Sized, variant: Partial<Variant>): RuleProblem[] {
  const { storage, pooler } = variant;
  if (!storage || !pooler || poolerPlaceProblems(variant).length > 0) return [];
  const { workload } = experiment;
  const load = { clients: maxClients(experiment), prepares: toolOf(workload).prepares(workload) };
  return placeOfStorage(storage).poolers?.problems(variant, load) ?? [];
}

function connectionProblems(experiment: Sized, variant: Partial<Variant>): RuleProblem[] {
  const clients = maxClients(experiment);
  const needed = clients + ownConnections;
  const allowed = (variant.storage && placeOfStorage(variant.storage).connections?.(variant)) ?? null;
  if (allowed === null || allowed >= needed) return [];
  const asked = variant.engine?.parameters['max_connections'];
  const missing = `missing; by default, a server here allows ${allowed} connections, `;
  const tooFew = `too few for ${withNoun(clients, 'client')} and ${ownConnections} connections of pgduet; expected at least ${needed}`;
  const computed = Number(asked) === allowed ? '' : `${allowed} connections here, `;
  return [
    {
      rule: 'connections',
      path: ['engine', 'parameters', 'max_connections'],
      message: `${asked === undefined ? missing : computed}${tooFew}`,
      ...(asked === undefined && { code: 'missing' as const }),
    },
  ];
}

function roomProblems(
  experiment: Sized,
  variant: StoredVariant & Pick<Variant, 'engine'>,
  inFolders: boolean,
): RuleProblem[] {
  const { sizeGib } = variant.storage;
  if (sizeGib === undefined) return [];
  const isOwn = placeOfStorage(variant.storage).sharesMachine;
  const room = isOwn && inFolders ? null : neededRoom(experiment, variant, isOwn);
  if (!room) return [];
  const { data, wal } = room;
  const problem = (what: string, parts: readonly Needed[]): RuleProblem[] => {
    const needed = parts.reduce((sum, part) => sum + part.bytes, 0);
    if (needed <= usableBytes(sizeGib)) return [];
    let enough = Math.ceil(needed / 2 ** 30);
    while (usableBytes(enough) < needed) enough += 1;
    const words = parts.map((part) => part.words).join(' and ');
    return problemUnless(
      'storage-room',
      false,
      ['storage', 'sizeGib'],
      `${what}too small for ${words}; expected at least ${enough}`,
    );
  };
  return hasLogVolume(variant) && isOwn
    ? [...problem('', [data]), ...problem('the log volume would be ', [wal])]
    : problem('', hasLogVolume(variant) || wal.bytes === 0 ? [data] : [data, wal]);
}
