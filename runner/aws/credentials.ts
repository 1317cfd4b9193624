// eslint-disable-next-line no-restricted-syntax -- To end requests of the SDK's own that have no bound; this makes none.
import { globalAgent } from 'node:http';
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
  return defaultProvider({ ...settings, timeout: metadataSeconds * 1000 });
}

/**
 * Asks again where somebody was waited for in vain. The SDK asks a metadata service once. Who refuses, or is not there, says
 * so at once, and is not asked again.
 *
 * @param signal ends the asking between two attempts
 */
export async function askPatiently<T>(
  ask: () => Promise<T>,
  { metadataSeconds, signal }: { metadataSeconds: number; signal: AbortSignal },
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const startedAt = performance.now();
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      const seconds = (performance.now() - startedAt) / 1000;
      if (attempt === attempts || seconds < metadataSeconds / 2) throw error;
    }
  }
}

/** Ends all requests to metadata services: an answer that comes by the byte would keep this process from ending. */
export const endMetadataRequests = (): void => globalAgent.destroy();
