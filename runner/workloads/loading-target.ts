import type { Client } from 'pg';
import { withConnection } from '../postgres/connect.ts';
import { requireSettled, optionsOfSession } from '../postgres/own-settings.ts';
import type { Target } from '../postgres/target.ts';

/**
 * The target for programs that load and reset. They get the settings of our own sessions. With a variant's settings,
 * such as a short statement_timeout or another DateStyle, they could fail, or load different data into each variant.
 *
 * @throws {UserError} if the server has other settings that our user may not change
 */
export async function loadingTarget(target: Target, signal: AbortSignal): Promise<Target> {
  const settled = async (client: Client): Promise<string> => {
    await requireSettled(client, target.server);
    return optionsOfSession(client);
  };
  const options = await withConnection(target, settled, signal);
  const { PGOPTIONS: given = '', ...environment } = target.environment;
  return { ...target, environment: { ...environment, PGOPTIONS: `${given} ${options}`.trim() } };
}
