/** What the explanation of an experiment must name, and nothing else. */
export interface Planted {
  /** Mechanisms that must be named. Empty: there is no effect, so there must be no explanation. */
  must: readonly string[];
  /** Mechanisms that may be named besides, each with why it is no false name. */
  may?: Readonly<Record<string, string>>;
}

/**
 * Experiments under `experiments/` whose cause is known, since it was planted. A cause that stands for itself must be named alone.
 * Of a pair both must be named: each is made large enough to be a tenth of the difference and more.
 */
export const planted: Readonly<Record<string, Planted>> = {
  // Twelve causes.
  'small-max-wal-size': { must: ['checkpoint-pressure'] },
  'hot-row': {
    must: ['lock-bound'],
    may: { 'internal-locks': 'whoever queues for a row takes turns at its page and at the table of locks, too' },
  },
  'saturated-driver': { must: ['driver-bound'] },
  'log-volume-at-its-limit': { must: ['slow-wal-flush'] },
  'slow-standby': { must: ['synchronous-replication'] },
  'costly-function': { must: ['processor-time'] },
  'thinking-client': { must: ['client-bound'] },
  'sleeping-server': { must: ['sleep'] },
  'synchronous-commit': { must: ['synchronous-commit'] },
  'small-buffers': {
    must: ['buffers-too-small'],
    may: { 'processor-time': 'a page that the kernel has cached is read by a processor' },
  },
  'application-lock': { must: ['lock-bound'] },
  'small-wal-buffers': {
    must: ['wal-buffers-full'],
    may: { 'wal-flush': 'whoever makes room in the buffers writes WAL out, and others wait for that write' },
  },
  // Six pairs.
  'think-and-sleep': { must: ['client-bound', 'sleep'] },
  'compute-and-think': { must: ['processor-time', 'client-bound'] },
  'compute-and-sleep': { must: ['processor-time', 'sleep'] },
  'flush-and-think': { must: ['synchronous-commit', 'client-bound'] },
  'flush-and-lock': { must: ['synchronous-commit', 'lock-bound'] },
  'standby-and-sleep': { must: ['synchronous-replication', 'sleep'] },
  // Four worlds without an effect.
  'nothing-at-the-processor': { must: [] },
  'nothing-at-the-volume': { must: [] },
  'nothing-at-the-lock': { must: [] },
  'nothing-at-the-client': { must: [] },
};

/** What is wrong with the names of an explanation, in words; empty if nothing is. */
export function faultsOf(names: readonly string[], { must, may = {} }: Planted): string[] {
  return [
    ...must.filter((name) => !names.includes(name)).map((name) => `${name} is missing`),
    ...names.filter((name) => !must.includes(name) && !(name in may)).map((name) => `${name} is false`),
    ...(names[0] !== undefined && must.length > 0 && !must.includes(names[0]) ? [`${names[0]} is first`] : []),
  ];
}
