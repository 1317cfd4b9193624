import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import type { Writable } from 'node:stream';
import { defaultProvider } from '@aws-sdk/credential-provider-node';

/** Asks for credentials, from whatever gives them: environment, profile, or the metadata service of container or instance. */
export type AskForCredentials = ReturnType<typeof defaultProvider>;

/** The metadata service of a machine that is busy may be late once or twice. */
const attempts = 3;

/**
 * @param settings of the client that needs credentials
 * @param metadataSeconds that a request to a metadata service may go without a byte
 */
export function credentialChain(settings: object, metadataSeconds: number): AskForCredentials {
  // That of a container would be asked four times by the SDK, of an instance once: `askPatiently` does so for both.
  return defaultProvider({ ...settings, timeout: metadataSeconds * 1000, maxRetries: 0 });
}

/** Aborts with what asks for credentials at the moment. */
const asking = new AsyncLocalStorage<AbortSignal>();

// The SDK takes no signal here. What it began would go on after it was given up, and keep this process from ending.
subscribe('http.client.request.start', (message) => {
  const { request } = message as { request: Writable };
  endWithAsking(() => request.destroy());
});
subscribe('child_process', (message) => {
  const { process: child } = message as { process: ChildProcess };
  endWithAsking(() => {
    child.kill();
    // What it has started itself may hold them open.
    for (const stream of child.stdio) stream?.destroy();
    child.unref();
  });
});

/** Calls this when what asks for credentials is given up; at once if it was, since the SDK then turns to the next that has some. */
function endWithAsking(end: () => void): void {
  const signal = asking.getStore();
  // The one who begins it has yet to listen for its errors.
  if (signal?.aborted) process.nextTick(end);
  else signal?.addEventListener('abort', end, { once: true });
}

/**
 * Asks again where somebody was waited for in vain. The SDK asks a metadata service once. Who refuses, or is not there, says
 * so at once, and is not asked again.
 *
 * @param signal ends the asking between two attempts, and every request and program that it has begun
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
