import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { ExperimentProblems, type Problem } from '../../../runner/experiment/file/problems.ts';

/** A folder with experiments/NAME.yaml. It is deleted when the test ends. */
export function folderWithExperiment(name: string, content: unknown): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'experiment-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(path.join(folder, 'experiments'));
  const text = typeof content === 'string' ? content : stringify(content);
  writeFileSync(path.join(folder, 'experiments', `${name}.yaml`), text);
  return folder;
}

/** A small experiment without mistakes. Tests add to it, or make mistakes in it. */
export function smallExperiment(): Record<string, unknown> & {
  common: Record<string, unknown>;
  variants: Record<string, Record<string, unknown>>;
  workload: Record<string, unknown>;
} {
  return {
    name: 'small',
    question: 'Is b faster than a?',
    common: {
      class: 'db.r6g.2xlarge',
      storage: { type: 'io2', sizeGib: 1000, iops: 10_000 },
      engine: { version: '16.15' },
    },
    variants: { a: {}, b: { dedicatedLogVolume: true } },
    baseline: 'a',
    workload: { tool: 'pgbench', scale: 10, clients: 4, threads: 2, durationSeconds: 10 },
  };
}

/**
 * The problems of an experiment file, in the order of its lines; none if it is right.
 *
 * @param content values, or a text, of small.yaml
 */
export function problemsIn(content: unknown, profile?: string): readonly Problem[] {
  try {
    loadExperiment('small', { folder: folderWithExperiment('small', content), profile });
    return [];
  } catch (error) {
    if (error instanceof ExperimentProblems) return error.problems;
    throw error;
  }
}

/** The same, each as its rule or its code, and its path, such as `missing workload.scale`. */
export function codesIn(content: unknown, profile?: string): string[] {
  return problemsIn(content, profile).map(({ code, rule = code, path: at }) => `${rule} ${at}`);
}
