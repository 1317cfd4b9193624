import { Readable } from 'node:stream';
import { askPatiently, type AskForCredentials, credentialChain } from './credentials.ts';

/** Time limits of calls, in seconds. */
export interface Bounds {
  /** Time to make a connection. */
  connectionSeconds: number;
  /** Time without a byte from the other side. */
  silenceSeconds: number;
  /** Time of one attempt, up to the end of the response headers: bytes that drip in do not extend it. */
  attemptSeconds: number;
  /** Time of all attempts together, with the pauses between them. Reading a streamed body gets this time again. */
  totalSeconds: number;
  /** Time without a byte from the metadata service of an instance or container, which provides credentials. */
  metadataSeconds: number;
  /** Time to get credentials, with all attempts. A program that the profile names may prompt the user meanwhile. */
  credentialSeconds: number;
  /** Remaining time of a call when the command is interrupted, and of each call that begins afterwards. */
  lastSeconds: number;
}

/**
 * The limits in normal use. A call that is throttled or gets no answer is retried for about two minutes, with growing
 * pauses, and then given up. The largest body that one attempt sends is a part of 5 MiB.
 */
export const defaultBounds: Bounds = {
  connectionSeconds: 10,
  silenceSeconds: 30,
  attemptSeconds: 45,
  totalSeconds: 180,
  metadataSeconds: 3,
  credentialSeconds: 120,
  lastSeconds: 3,
};

/** Reading a streamed body may take longer than `totalSeconds`: one more second for each of this many bytes. */
const slowestBytesPerSecond = 64 * 1024;

export const maxAttempts = 10;

/** Thrown by a call that was cut off because the command ended. */
export class CutOffError extends Error {
  override name = 'CutOffError';
}

/** There was no answer in time. The AWS SDK uses this name for its own errors of this kind. */
export class NoAnswerError extends Error {
  override name = 'TimeoutError';
}

/** What all clients of the AWS SDK have in common. */
interface Client {
  send(command: never, options?: { abortSignal?: AbortSignal }): Promise<unknown>;
}

/**
 * Makes a client whose calls all end. There are time limits for each attempt, for all attempts together, and, after the
 * command is interrupted, a few seconds for each call. As long as AWS answers within these, more calls may follow, such
 * as those that save what was measured. The first call that then gets no answer is the last.
 *
 * A call that was given up throws a NoAnswerError, a CutOffError, or the reason of its own `abortSignal`.
 *
 * @param Client class of the SDK
 * @param settings of the client
 * @param interrupted aborts when the command is to end
 */
export function boundClient<Settings extends object, C extends Client>(
  Client: new (settings: Settings) => C,
  settings: Settings,
  interrupted: AbortSignal,
  bounds: Bounds = defaultBounds,
): C {
  const command = commandOf(interrupted);
  const { totalSeconds, metadataSeconds, credentialSeconds, lastSeconds } = bounds;
  const client = new Client({
    maxAttempts,
    retryMode: 'standard',
    credentialDefaultProvider: boundCredentials,
    ...handlerOf(bounds),
    ...settings,
  });
  const send = client.send.bind(client);
  function boundCredentials(config: object): AskForCredentials {
    let ask = credentialChain(config, metadataSeconds);
    return async (options) => {
      const { signal, release } = begin(undefined, {
        seconds: credentialSeconds,
        missing: 'no credentials from environment, profile or the instance metadata service',
      });
      try {
        return await unlessAborted(
          askPatiently(() => ask(options), { metadataSeconds, signal }),
          signal,
        );
      } catch (error) {
        // The abandoned request still waits, and so would the next caller of the same chain.
        if (signal.aborted) ask = credentialChain(config, metadataSeconds);
        throw error;
      } finally {
        release();
      }
    };
  }
  function begin(abortSignal: AbortSignal | undefined, { seconds, missing }: { seconds: number; missing: string }) {
    const controller = new AbortController();
    const bound = newBound((passed) =>
      controller.abort(new NoAnswerError(`${missing} within ${Math.round(passed)} s`)),
    );
    const last = newBound(() => command.endAll());
    const call: Call = { hurry: () => last.set(lastSeconds), end: (reason) => controller.abort(reason) };
    const giveUp = (): void => controller.abort(abortSignal?.reason);
    bound.set(seconds);
    if (interrupted.aborted) call.hurry();
    command.calls.add(call);
    abortSignal?.addEventListener('abort', giveUp);
    const release = (): void => {
      command.calls.delete(call);
      bound.clear();
      last.clear();
      abortSignal?.removeEventListener('abort', giveUp);
    };
    return { signal: controller.signal, bound, release };
  }
  (client as Client).send = async (request, { abortSignal, ...options } = {}) => {
    abortSignal?.throwIfAborted();
    if (command.over) throw command.over;
    const { signal, bound, release } = begin(abortSignal, { seconds: totalSeconds, missing: 'no whole answer' });
    try {
      const answer = await unlessAborted(send(request, { ...options, abortSignal: signal }), signal);
      const content = contentOf(answer);
      if (content === null) release();
      else {
        bound.set(totalSeconds + content.sizeBytes / slowestBytesPerSecond);
        // The SDK's checksum stream continues to read after its source was destroyed, and would wait for ever.
        signal.addEventListener('abort', () => content.stream.destroy(signal.reason as Error));
        content.stream.once('close', release);
      }
      return answer;
    } catch (error) {
      release();
      signal.throwIfAborted();
      throw error;
    }
  };
  return client;
}

interface Call {
  /** Limits the call to its last few seconds. */
  hurry(): void;
  end(reason: Error): void;
}

/** The running calls of all clients of one command. */
interface Command {
  calls: Set<Call>;
  /** Set when no further call is allowed. */
  over: CutOffError | null;
  endAll(): void;
}

const commands = new WeakMap<AbortSignal, Command>();

function commandOf(interrupted: AbortSignal): Command {
  const known = commands.get(interrupted);
  if (known) return known;
  const command: Command = {
    calls: new Set(),
    over: null,
    endAll() {
      const { reason } = interrupted as { reason: unknown };
      command.over = new CutOffError(reason instanceof Error ? reason.message : String(reason));
      for (const call of command.calls) call.end(command.over);
    },
  };
  commands.set(interrupted, command);
  interrupted.addEventListener('abort', () => command.calls.forEach((call) => call.hurry()));
  return command;
}

/** A time limit after which something happens. */
interface Bound {
  /** Restarts the time limit. */
  set(seconds: number): void;
  clear(): void;
}

function newBound(onEnd: (seconds: number) => void): Bound {
  let timer: NodeJS.Timeout | undefined;
  return {
    set(seconds) {
      clearTimeout(timer);
      timer = setTimeout(() => onEnd(seconds), seconds * 1000);
    },
    clear: () => clearTimeout(timer),
  };
}

function handlerOf({ connectionSeconds, silenceSeconds, attemptSeconds }: Bounds): object {
  return {
    requestHandler: {
      connectionTimeout: connectionSeconds * 1000,
      socketTimeout: silenceSeconds * 1000,
      requestTimeout: attemptSeconds * 1000,
      throwOnRequestTimeout: true,
    },
  };
}

/** Needed because some parts of the SDK ignore a signal, such as those that fetch credentials. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([work, aborted]);
}

/** The body that must still be read after the call itself; null for most calls, which have read everything. */
function contentOf(answer: unknown): { stream: Readable; sizeBytes: number } | null {
  const { Body: stream, ContentLength: sizeBytes } = answer as { Body?: unknown; ContentLength?: number };
  return stream instanceof Readable ? { stream, sizeBytes: sizeBytes ?? 0 } : null;
}
