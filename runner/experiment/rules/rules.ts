import type { z } from 'zod';
import { isMap, type Plain } from '../file/profiles.ts';
import { nearest } from '../file/problems.ts';
import { experimentSchema } from '../schema.ts';
import type { Contrast, WrittenExperiment } from '../../contract/experiment/schema.ts';
import { type RuleProblem, unless } from '../../contract/check.ts';
import { tools } from '../../workloads/every-tool.ts';
import type { Download, Tool } from '../../workloads/tool.ts';
import { decisionProblems, ladderProblems } from './decision-rules.ts';
import {
  loadingWarnings,
  parameterProblems,
  placeProblems,
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
import { declaredVolumes, placeOfStorage } from '../../places/registry.ts';
import { type Needed, neededRoom, usableBytes } from '../../places/needed-room.ts';
import { ownConnections } from '../../postgres/target.ts';
import { mostClients } from '../plan/design.ts';

export interface RuleFindings {
  problems: RuleProblem[];
  warnings: string[];
}

/**
 * Checks rules that concern more than one value. They run on the values that are each valid, so that a mistake in one
 * place does not hide another.
 */
export function checkRules(merged: Plain): RuleFindings {
  if (!isMap(merged)) return { problems: [], warnings: [] };
  const { shape } = experimentSchema;
  const variantShape = shape.variants.valueType.shape;
  const rawVariants = isMap(merged['variants']) ? merged['variants'] : {};
  const variants = Object.entries(rawVariants).map(([name, raw]) => [name, wellFormed(variantShape, raw)] as const);
  const [storage] = variants.flatMap(([, variant]) => variant.storage ?? []);
  const place = storage && placeOfStorage(storage);
  const protocol = shape.protocol.safeParse(merged['protocol']).data;
  const ladder = shape.ladder.safeParse(merged['ladder']).data;
  const decision = shape.decision.safeParse(merged['decision']).data;
  const collect = shape.collect.safeParse(merged['collect']).data;
  const network = shape.network.safeParse(merged['network']).data;
  const data = shape.data.safeParse(merged['data']).data;
  const contrasts = shape.contrasts.safeParse(merged['contrasts']).data ?? [];
  const tool = toolIn(merged['workload']);
  const workload = tool ? wellFormed(tool.schema.shape, merged['workload']) : {};
  return {
    problems: [
      ...variants.flatMap(([name, variant]) =>
        within(['variants', name], [...variantProblems(variant), ...parameterProblems(variant)]),
      ),
      ...placeProblems(variants),
      ...variantProblem(['baseline'], merged['baseline'], Object.keys(rawVariants)),
      ...contrastProblems(contrasts, Object.keys(rawVariants)),
      ...within(['workload'], tool?.problems(workload) ?? []),
      ...(tool?.experimentProblems?.(workload, {
        warmUpSeconds: protocol?.warmUpSeconds,
        phaseSeconds: protocol?.phaseSeconds,
        collect,
        reset: protocol?.reset,
      }) ?? []),
      ...(tool && place?.isDeployed === true
        ? downloadProblems(network, tool.driver.downloads?.(workload) ?? null)
        : []),
      ...within(['protocol'], [...protocolProblems(protocol), ...(tool ? resetProblems(protocol, tool) : [])]),
      ...(tool ? within(['ladder'], ladderProblems(ladder, protocol, { tool, workload, collect })) : []),
      ...crossoverProblems(protocol, variants, place),
      ...replicaProblems(protocol, place),
      ...restoreProblems(data, place, tool?.restores?.(workload) ?? null),
      ...(tool
        ? decisionProblems(decision, collect, { tool, workload, hasThreshold: isGiven(merged['decision']) })
        : []),
    ],
    warnings: [...variantWarnings(variants), ...loadingWarnings(Object.fromEntries(variants))],
  };
}

/** A problem if the driver needs something from the internet, but has no path to it. */
function downloadProblems(network: WrittenExperiment['network'] | undefined, download: Download | null): RuleProblem[] {
  if (network?.mode !== 'private' || download === null) return [];
  const message = `the driver has no path to the internet, so it cannot download ${download.what}; ${download.remedy}, or set this to public-driver`;
  return [{ path: ['network', 'mode'], message }];
}

function isGiven(decision: Plain | undefined): boolean {
  return isMap(decision) && 'practicalThreshold' in decision;
}

function toolIn(workload: Plain | undefined): Tool | undefined {
  return isMap(workload) ? tools.find(({ name }) => name === workload['tool']) : undefined;
}

function within(path: string[], problems: readonly RuleProblem[]): RuleProblem[] {
  return problems.map((problem) => ({ ...problem, path: [...path, ...problem.path] }));
}

/** A problem if a name is not the name of a variant. */
function variantProblem(path: string[], name: Plain | undefined, variants: readonly string[]): RuleProblem[] {
  if (typeof name !== 'string' || variants.length === 0 || variants.includes(name)) return [];
  const suggestion = nearest(name, variants, (near) => `; did you mean "${near}"?`);
  return [{ path, message: `no such variant; expected one of ${variants.join(', ')}${suggestion}` }];
}

function contrastProblems(contrasts: readonly Contrast[], variants: readonly string[]): RuleProblem[] {
  return contrasts.flatMap(({ candidate, baseline }, index) => [
    ...variantProblem(['contrasts', String(index), 'candidate'], candidate, variants),
    ...variantProblem(['contrasts', String(index), 'baseline'], baseline, variants),
    ...(candidate === baseline
      ? [{ path: ['contrasts', String(index)], message: 'compares a variant with itself; expected two variants' }]
      : []),
  ]);
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

/**
 * Foreseeable failures of an experiment whose values are each valid: things that will not fit, which would otherwise
 * show only after loading. The sizes are those that the plan expects.
 *
 * @param inFolders whether servers on this machine get plain folders, which have no size
 */
export function foreseenProblems(experiment: WrittenExperiment, inFolders: boolean): RuleProblem[] {
  return [
    ...Object.keys(experiment.variants).flatMap((name) => roomProblems(experiment, name, inFolders)),
    ...connectionProblems(experiment),
  ];
}

function roomProblems(experiment: WrittenExperiment, name: string, inFolders: boolean): RuleProblem[] {
  const variant = experiment.variants[name];
  const sizeGib = variant?.storage.sizeGib;
  if (!variant || sizeGib === undefined) return [];
  const isOwn = placeOfStorage(variant.storage).sharesMachine;
  // Servers on this machine have limited volumes only if a variant has limits.
  const areFolders = inFolders || !Object.values(experiment.variants).some((one) => declaredVolumes(one).areLimited);
  const room = isOwn && areFolders ? null : neededRoom(experiment, variant, isOwn);
  if (!room) return [];
  const { data, wal } = room;
  const problem = (what: string, parts: readonly Needed[]): RuleProblem[] => {
    const needed = parts.reduce((sum, part) => sum + part.bytes, 0);
    if (needed <= usableBytes(sizeGib)) return [];
    let enough = Math.ceil(needed / 2 ** 30);
    while (usableBytes(enough) < needed) enough += 1;
    const words = parts.map((part) => part.words).join(' and ');
    return unless(
      false,
      ['variants', name, 'storage', 'sizeGib'],
      `${what}too small for ${words}; expected at least ${enough}`,
    );
  };
  return variant.dedicatedLogVolume && isOwn
    ? [...problem('', [data]), ...problem('the log volume would be ', [wal])]
    : problem('', variant.dedicatedLogVolume || wal.bytes === 0 ? [data] : [data, wal]);
}

function connectionProblems(experiment: WrittenExperiment): RuleProblem[] {
  const needed = mostClients(experiment) + ownConnections;
  return Object.entries(experiment.variants).flatMap(([name, { engine }]) => {
    // On RDS it may be a formula.
    const asked = Number(engine.parameters['max_connections'] ?? NaN);
    if (!(asked < needed)) return [];
    return [
      {
        path: ['variants', name, 'engine', 'parameters', 'max_connections'],
        message: `too few for ${mostClients(experiment).toLocaleString('en')} clients and ${ownConnections} connections of pgduet; expected at least ${needed}`,
      },
    ];
  });
}
