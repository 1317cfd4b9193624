import type { Experiment, Workload } from '../contract/experiment/schema.ts';
import { isSqlFile, type Variant, type VariantScript } from '../contract/experiment/variant.ts';
import { toolOf } from './registry.ts';
import type { WorkloadWords } from './tool.ts';

/** As much of an experiment as says what load its variants get. Another version of pgduet may have written it. */
interface Loads {
  workload: Workload;
  variants: Readonly<Record<string, Pick<Variant, 'prepare' | 'scripts'>>>;
}

/** The workload of a variant: that of the experiment, with the variant's own scripts if it has some. */
export function workloadOf<W extends object>(
  {
    workload,
    variants,
  }: { workload: W; variants: Readonly<Record<string, { scripts?: VariantScript[] | undefined }>> },
  variant: string,
): W {
  const scripts = variants[variant]?.scripts;
  return scripts === undefined ? workload : { ...workload, scripts };
}

/** The workloads that variants have, each once. */
export function workloadsOf(experiment: Loads): Workload[] {
  const all = Object.keys(experiment.variants).map((name) => workloadOf(experiment, name));
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}

/** The files of `prepare` of one variant, in their order. */
export function preparingFiles({ prepare = [] }: Pick<Partial<Variant>, 'prepare'>): string[] {
  return prepare.filter(isSqlFile);
}

/**
 * Files that an experiment names, relative to its own: those that are read before or during trials, those that the
 * data depends on, and all of them.
 */
export function filesOf(experiment: Pick<Experiment, 'workload'> & Loads): Record<'trial' | 'load' | 'all', string[]> {
  const tool = toolOf(experiment.workload);
  const workloads = workloadsOf(experiment);
  const trial = [...new Set(workloads.flatMap((one) => tool.trialFiles(one)))];
  const prepared = Object.values(experiment.variants).flatMap(preparingFiles);
  const load = [...new Set([...tool.loadFiles(experiment.workload), ...prepared])];
  return { trial, load, all: [...new Set([...trial, ...load])] };
}

/** The load of an experiment in words. What differs between variants, by their scripts, names the variant of each. */
export function wordsOfLoad(experiment: Loads): WorkloadWords {
  const tool = toolOf(experiment.workload);
  const each = Object.keys(experiment.variants).map((name) => ({ name, ...tool.words(workloadOf(experiment, name)) }));
  const joined = (texts: readonly string[]): string =>
    new Set(texts).size === 1
      ? (texts[0] ?? '')
      : texts.map((text, index) => `${text} (${each[index]?.name})`).join('; ');
  return {
    summary: joined(each.map(({ summary }) => summary)),
    facts: (each[0]?.facts ?? []).map(([term], index) => [
      term,
      joined(each.map(({ facts }) => facts[index]?.[1] ?? '')),
    ]),
  };
}
