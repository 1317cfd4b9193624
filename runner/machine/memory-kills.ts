import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import { capacity } from './capacity.ts';
import { fileOf, ownGroups, textOf } from './control-groups.ts';
import { withNoun } from '../contract/format.ts';

/** Memory ran out, and the kernel ended a process for it: another try would end in the same way. */
export function memoryExhausted(message: string, cause?: unknown): UserError {
  return new UserError(message, { cause, failure: 'memory-ran-out' });
}

/**
 * Looks whether the kernel ends processes because memory runs out.
 *
 * @param root of the system; another one only in tests
 * @returns asks what it has ended since this call: in words, or null if nothing, or if the system does not report it
 */
export function watchMemory(root = '/'): () => string | null {
  const before = killedSoFar(root);
  return () => {
    const killed = killedSoFar(root) - before;
    if (!(killed > 0)) return null;
    const gib = (capacity(root).memoryBytes / 2 ** 30).toFixed(1);
    return `Memory ran out: the kernel killed ${withNoun(killed, 'process', 'processes')}. pgduet and its servers may use ${gib} GiB. Provide more memory, or choose smaller shared_buffers or work_mem, fewer clients or less data.`;
  };
}

/** Of our own control group, or else of the whole machine; NaN if unknown. */
function killedSoFar(root: string): number {
  const groupFiles = ownGroups('memory', root).map((group) =>
    fileOf(group, group.version === 2 ? 'memory.events' : 'memory.oom_control'),
  );
  const texts = [...groupFiles, textOf(path.join(root, 'proc/vmstat'))];
  return Number(texts.map((text) => /^oom_kill (\d+)$/m.exec(text)?.[1]).find((count) => count !== undefined) ?? NaN);
}
