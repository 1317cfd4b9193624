import type { Contrast, Experiment, Group } from '../contract/experiment/schema.ts';
import type { Level } from '../contract/trial.ts';
import { areEqual } from './plan/differences.ts';

export type Grouped = Pick<Experiment, 'variants' | 'baseline' | 'groups'>;

/** Two variants at a level. */
export interface ContrastAt extends Contrast {
  level: Level;
}

/** The groups of a matrix; without one, all variants are one group, which has no name. */
export function groupsOf({
  variants,
  baseline,
  groups,
}: Grouped): (Omit<Group, 'name' | 'values'> & { level: Level })[] {
  return (
    groups?.map(({ name, ...group }) => ({ ...group, level: { group: name } })) ?? [
      { level: {}, baseline, variants: Object.keys(variants) },
    ]
  );
}

/** The variants that are measured at a level, in the order of the file. */
export function variantsAt(experiment: Grouped, level: Level): string[] {
  return groupAt(experiment, level)?.variants ?? [];
}

/** The variant that others are compared with at a level. */
export function baselineAt(experiment: Grouped, level: Level): string {
  return groupAt(experiment, level)?.baseline ?? experiment.baseline;
}

function groupAt(experiment: Grouped, { group }: Level) {
  return groupsOf(experiment).find(({ level }) => level['group'] === group);
}

/**
 * The experiment with another variant as the baseline. With a matrix, only the group of this variant remains: the
 * others have nothing to compare with it.
 */
export function withBaseline<Some extends Grouped>(experiment: Some, baseline: string): Some {
  const groups = experiment.groups?.filter(({ variants }) => variants.includes(baseline));
  return { ...experiment, baseline, ...(groups && { groups: groups.map((group) => ({ ...group, baseline })) }) };
}

/** A/A controls: variants that repeat the baseline of their group under another name. */
export function controlsOf(experiment: Grouped): string[] {
  const { variants: all } = experiment;
  return groupsOf(experiment).flatMap(({ baseline, variants }) =>
    variants.filter((name) => name !== baseline && areEqual(all[name] ?? {}, all[baseline] ?? {})),
  );
}
