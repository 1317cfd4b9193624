import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import type { ParameterValue } from '../../contract/experiment/variant.ts';
import { askProgram, type CommandResult } from '../../process/run-command.ts';
import { databaseLocks } from '../../postgres/database-lock.ts';
import { dropOwn } from '../../postgres/database-sessions.ts';
import { copyOf } from '../../postgres/loaded-copy.ts';
import { complaintOf, isDown, ownEnvironment } from '../../postgres/psql.ts';
import { textOf } from '../../postgres/parameters/judge.ts';
import { quietClients, type ServiceTarget, sessionOptions } from '../../postgres/target.ts';
import type { OwnDatabase } from './notes.ts';

/** What libpq needs to know to find servers by their services. */
export interface Libpq {
  /** Folder of the client programs. */
  programs: string;
  environment: Record<string, string>;
}

/**
 * Lets libpq look a service up, and connect once.
 *
 * @param server name of the server in the run
 * @param own.parameters that every session gets
 * @throws {UserError} with what libpq says, if the service is not known or its server cannot be reached; with what the
 *   server says, if a session may not have the parameters
 */
export async function findService(
  {
    service,
    database,
    mark,
    limit,
    parameters = {},
  }: OwnDatabase & { parameters?: Readonly<Record<string, ParameterValue>> },
  server: string,
  { programs, environment }: Libpq,
  signal: AbortSignal,
): Promise<ServiceTarget> {
  const look = (options: Record<string, string>): Promise<CommandResult> =>
    askProgram(
      [
        path.join(programs, 'psql'),
        ...['--no-psqlrc', '--quiet', '--no-password', `--dbname=service=${service}`],
        // Values of a service hold no line breaks.
        ...[':HOST', ':PORT', ':USER', ':DBNAME'].map((variable) => `--command=\\echo ${variable}`),
      ],
      { environment: ownEnvironment({ ...environment, ...options }), signal },
    );
  const options = sessionOptions(Object.entries(parameters).map(([name, value]) => [name, textOf(value)]));
  const { PGOPTIONS: quiet = '' } = quietClients(parameters);
  const loadEnvironment = { PGOPTIONS: `${quiet} ${options}`.trim() };
  const { exitCode, stdout, stderr } = await look(loadEnvironment);
  const [host = '', port = '', user = '', home = ''] = stdout.split('\n');
  if (exitCode !== 0 || home === '') {
    if (options !== '' && (await look(quietClients({}))).exitCode === 0) {
      throw new UserError(
        `${server}: the server of the service ${service} rejects these engine.parameters for a session: ${complaintOf(stderr)} Correct them, let the role set them (GRANT SET ON PARAMETER … TO …, from PostgreSQL 15 on), or omit them.`,
      );
    }
    if ((await look({})).exitCode === 0) {
      throw new UserError(
        `${server}: the service ${service} leads to a pooler that rejects session options. Let it ignore them (PgBouncer: ignore_startup_parameters = extra_float_digits, options), or name the server itself.`,
      );
    }
    throw new UserError(
      `${server}: the service ${service} reaches no server: ${complaintOf(stderr)} Try it with: psql service=${service}`,
      { isTransient: await isDown({ name: service, programs }, environment) },
    );
  }
  return {
    ...{ server, host, port: Number(port), user, database },
    environment: { ...environment, ...loadEnvironment },
    service: { name: service, programs, home, mark, limit, ...(options !== '' && { options }) },
  };
}

/**
 * Drops the database of a run, and its copy, unless another run uses it.
 *
 * @returns whether there was one
 * @throws {UserError} if it is in use, or is not pgduet’s
 */
export async function removeDatabase(target: ServiceTarget, signal: AbortSignal): Promise<boolean> {
  const locks = databaseLocks({ patienceSeconds: 0, pause: () => Promise.resolve() });
  try {
    await locks.hold(target, signal);
    return await dropOwn(target, [copyOf(target), target.database], signal);
  } finally {
    await locks.release();
  }
}
