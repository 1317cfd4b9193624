import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Answer, Request } from './reader.ts';

export interface Bounds {
  /** For one mutant, without the time in which the reader was kept waiting for a processor. */
  seconds: number;
  /** Resident memory of the process. */
  memoryBytes: number;
}

/** What a reader says of a mutant, or why it came to no answer, in words. */
export type Answered = Answer | string;

const runTypeScript = path.resolve(import.meta.dirname, '../../bin/run.mjs');
/** Of JavaScript objects. Files are read outside of this heap. */
const heapMebibytes = 256;
const secondsBetweenLooks = 0.2;

/** A reader in a process of its own, which is ended when it exceeds its bounds, and started anew for the next mutant. */
export class ReaderProcess {
  #program: string;
  #folder: string;
  #bounds: Bounds;
  #child: ChildProcess | null = null;
  #stderr = '';

  /** @param program source of the process; it gets the folder, says that it is ready, and answers each request */
  constructor(program: string, folder: string, bounds: Bounds) {
    this.#program = program;
    this.#folder = folder;
    this.#bounds = bounds;
  }

  async read(request: Request, signal?: AbortSignal): Promise<Answered> {
    const child = (this.#child ??= await this.#start());
    const answered = await this.#ask(child, request, signal);
    if (typeof answered === 'string' || answered.peakBytes > this.#bounds.memoryBytes) await this.close();
    return answered;
  }

  /** Ends the process, also one that hangs. */
  async close(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  async #start(): Promise<ChildProcess> {
    // Detached from the terminal: Ctrl-C is for the process that starts this one, which ends it.
    const child = fork(runTypeScript, [this.#program, this.#folder], {
      execArgv: [`--max-old-space-size=${heapMebibytes}`],
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr = (this.#stderr + text).slice(-2000)));
    const ended = once(child, 'exit').then(() =>
      Promise.reject(new Error(`The reader does not start: ${this.#stderr}`)),
    );
    await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => undefined);
    return child;
  }

  #ask(child: ChildProcess, request: Request, signal?: AbortSignal): Promise<Answered> {
    const started = performance.now();
    const delayBefore = runDelaySeconds(child);
    return new Promise((resolve) => {
      const settle = (answered: Answered): void => {
        clearInterval(watch);
        child.removeAllListeners('message').removeAllListeners('close');
        signal?.removeEventListener('abort', onAbort);
        resolve(answered);
      };
      const onAbort = (): void => settle('interrupted');
      const watch = setInterval(() => {
        const seconds = (performance.now() - started) / 1000 - (runDelaySeconds(child) - delayBefore);
        if (seconds > this.#bounds.seconds) settle(`it takes more than ${this.#bounds.seconds} s`);
        else if (residentBytes(child) > this.#bounds.memoryBytes) settle(tooMuchMemory(this.#bounds));
      }, secondsBetweenLooks * 1000);
      child.once('message', (answer) => settle(answer as Answer));
      // Not at its exit: its last words may come after that.
      child.once('close', (code, by) => settle(`the reader ended with ${by ?? `exit code ${code}`}: ${this.#stderr}`));
      signal?.addEventListener('abort', onAbort);
      child.send(request);
    });
  }
}

export function tooMuchMemory({ memoryBytes }: Bounds): string {
  return `it needs more than ${memoryBytes / 2 ** 20} MiB of memory`;
}

/** How long its first thread could have run, but had no processor. 0 where the system does not tell. */
function runDelaySeconds({ pid }: ChildProcess): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1] ?? 0) / 1e9;
  } catch {
    return 0;
  }
}

/** 0 where the system does not tell, or if the process has just ended. */
function residentBytes({ pid }: ChildProcess): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
