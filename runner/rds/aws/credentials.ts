import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import type { Writable } from 'node:stream';
import type { defaultProvider } from '@aws-sdk/credential-provider-node';

/** Asks for credentials from any source: environment, profile, or the metadata service of a container or instance. */
export type AskForCredentials = ReturnType<typeof defaultProvider>;

/** The metadata service of a busy machine may be late once or twice. */
const attempts = 3;

/**
 * @param settings of the client that needs credentials
 * @param metadataSeconds how long a request to a metadata service may receive no byte
 */
export function credentialChain(settings: object, metadataSeconds: number): AskForCredentials {
  let chain: AskForCredentials | undefined;
  return async (options) => {
    // Only now: many commands load this file and never call AWS.
    const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
    // The SDK would ask the metadata service of a container four times, but that of an instance once. `askPatiently`
    // does the retries for both.
    chain ??= defaultProvider({ ...settings, timeout: metadataSeconds * 1000, maxRetries: 0 });
    return chain(options);
  };
}

/** The signal of the current request for credentials. */
const asking = new AsyncLocalStorage<AbortSignal>();

// The SDK takes no signal here. Requests and programs that it began would continue after the request for credentials
// was given up, and would keep this process from ending.
subscribe('http.client.request.start', (message) => {
  const { request } = message as { request: Writable };
  endWithAsking(() => request.destroy());
});
subscribe('child_process', (message) => {
  const { process: child } = message as { process: ChildProcess };
  endWithAsking(() => {
    child.kill();
    // Processes that it started may hold these streams open.
    for (const stream of child.stdio) stream?.destroy();
    child.unref();
  });
});

/**
 * Calls `end` when the current request for credentials is given up. If it has been given up already, calls it at once,
 * since the SDK then turns to its next source.
 */
function endWithAsking(end: () => void): void {
  const signal = asking.getStore();
  // Not yet: the caller that began this has not begun to listen for its errors.
  if (signal?.aborted) process.nextTick(end);
  else signal?.addEventListener('abort', end, { once: true });
}

/**
 * Asks for credentials, and asks again if an attempt failed after a long wait. The SDK asks a metadata service only
 * once. A service that refuses or does not exist fails at once, and is not asked again.
 *
 * @param signal stops further attempts, and ends every request and program that an attempt has begun
 */
export async function askPatiently<T>(
  ask: () => Promise<T>,
  { metadataSeconds, signal }: { metadataSeconds: number; signal: AbortSignal },
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const startedAt = performance.now();
    try {
      return await asking.run(signal, ask);
    } catch (error) {
      signal.throwIfAborted();
      const seconds = (performance.now() - startedAt) / 1000;
      if (attempt === attempts || seconds < metadataSeconds / 2) throw error;
    }
  }
}
