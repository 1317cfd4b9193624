import type { Case } from './cases.ts';

/** A defence that is taken out of the product, to see that the suite notices. */
export interface Breakage {
  /** Source, relative to the project. */
  file: string;
  /** Text that is there exactly once. */
  from: string;
  to: string;
  /** Faults that this defence is for; `power cut` for those of `--power`. */
  cases: 'power cut' | ((one: Case) => boolean);
}

export const breakages: Record<string, Breakage> = {
  'journal-write-removed': {
    file: 'runner/storage/run-folder.ts',
    from: 'await write(path.join(runFiles.trials, trial.id, trialFiles.trial), trialFile, saved);',
    to: '',
    cases: ({ place, phase }) => place === 'folders' && phase === 'measure',
  },
  'code-of-failure-lost': {
    file: 'runner/run/trial.ts',
    from: "code: killed === null ? failureIn(running, cause) : 'memory-ran-out',",
    to: "code: 'other',",
    cases: ({ place, target, kind, phase }) =>
      place === 'folders' && target === 'server' && kind === 'KILL' && phase === 'measure',
  },
  'lock-removed': {
    file: 'runner/storage/results-folder.ts',
    from: 'const lock = takeLock(`${results}.lock`, `The results in ${results}`);',
    to: 'const lock = { release: () => undefined };',
    cases: ({ place, target, kind }) => place === 'folders' && target === 'runner' && kind === 'refuse',
  },
  'swap-unnoticed': {
    file: 'runner/files/open-folder.ts',
    from: 'if (found?.dev === device && found.ino === inode) return;',
    to: 'if (found) return;',
    cases: ({ kind }) => kind === 'swap',
  },
  'publish-skipped': {
    file: 'runner/rds/bucket/bucket-store.ts',
    from: 'return await prove(await upload());',
    to: 'return { objects: 0, sizeBytes: 0 };',
    cases: ({ place, target }) => place === 'deployed' && target === 'S3',
  },
  'clean-up-order-reversed': {
    file: 'runner/places/local/run-folder.ts',
    from: `  await endProcesses(folder, signal);
  try {`,
    to: `  await removeTrees([folder], signal);
  await endProcesses(folder, signal);
  try {`,
    cases: ({ place, target, kind }) => place === 'limited' && target === 'runner' && kind === 'KILL',
  },
  'log-count-unchecked': {
    file: 'runner/analysis/validity/invariant/transaction-log.ts',
    from: 'logged === null || counted === null ?',
    to: 'logged !== counted || logged === null ?',
    cases: ({ place, target, kind }) => place === 'folders' && target === 'pgbench' && kind === 'vanish',
  },
  'sealed-before-synced': {
    file: 'runner/files/sums.ts',
    from: '(handle) => handle.sync().then(() => true)',
    to: '() => Promise.resolve(true)',
    cases: 'power cut',
  },
};
