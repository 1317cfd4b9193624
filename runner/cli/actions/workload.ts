import path from 'node:path';
import { Option } from 'commander';
import { UserError } from '../../contract/errors.ts';
import { list, percent } from '../../contract/format.ts';
import { ownCommand } from '../../contract/own-command.ts';
import { experimentsFolder } from '../../experiment/file/find.ts';
import { exists } from '../../files/look.ts';
import { libpqEnvironment } from '../../places/existing/libpq-environment.ts';
import { findService } from '../../places/existing/service.ts';
import { findPostgresBinaries } from '../../places/local/choose-binaries.ts';
import { wrapLines } from '../../report/media/wrap.ts';
import { reasonWords, serviceLoadLines } from '../../report/terminal/service-load-text.ts';
import { dumpFormat } from '../../workloads/own-data/dump-format.ts';
import { experimentText, scriptFiles } from '../../workloads/own-data/from-server/experiment-text.ts';
import { loadOfService, type ServiceLoad } from '../../workloads/own-data/from-server/service-load.ts';
import type { Io } from '../io.ts';
import { bindirOption, describeArguments, oneMore } from '../options.ts';
import type { Declare } from '../verb.ts';
import { type Files, withSchema } from './copy-experiment.ts';
import { refuseTaken, requireName, writeFiles } from './new-files.ts';

interface WorkloadOptions {
  name?: string;
  dump?: string;
  log?: string[];
  writes?: true;
  pgBindir?: string[];
  json?: true;
}

/** `pgduet workload from SERVICE`: an experiment with the load of an existing server. */
export async function workloadFrom(service: string, options: WorkloadOptions, io: Io): Promise<void> {
  const name = options.name ?? service;
  if (options.name === undefined && !isName(service)) {
    throw new UserError(`An experiment cannot have the name of the service ${service}. Choose one with --name.`);
  }
  requireName(name);
  const experiment = path.join(experimentsFolder, `${name}.yaml`);
  refuseTaken([experiment], io.workingFolder);
  const dump = options.dump === undefined ? null : givenDump(options.dump, io.workingFolder);
  const { environment, signal } = io;
  const explicit = options.pgBindir ? { explicit: options.pgBindir } : {};
  const { folder: programs } = await findPostgresBinaries({ ...explicit, environment, signal, needed: 'clients' });
  const libpq = { programs, environment: libpqEnvironment(environment) };
  const target = await findService({ service, database: '', mark: '', limit: 0 }, service, libpq, signal);
  const logs = (options.log ?? []).map((file) => path.resolve(io.workingFolder, file));
  const load = await loadOfService(target, {
    ...{ writes: options.writes === true, logs, signal },
    onProgress: (part) => io.statusLine?.show(`Read ${percent(part)} of the log`),
  }).finally(() => io.statusLine?.clear());
  requireSome(load, service);
  const files = {
    ...{ name, service, writes: options.writes === true },
    dump: dump ?? `${name}/${name}.dump`,
  };
  const written: Files = {
    [experiment]: { content: withSchema(experimentText(load, files), io.workingFolder) },
    ...Object.fromEntries(
      // They hold values of the user’s data.
      Object.entries(scriptFiles(load, files)).map(([file, content]) => [
        path.join(experimentsFolder, file),
        { content, readers: 'owner' as const },
      ]),
    ),
  };
  refuseTaken(Object.keys(written), io.workingFolder);
  await writeFiles(written, io.workingFolder);
  const file = path.join(experimentsFolder, files.dump);
  const dumpCommand = dump === null ? dumpCommandFor({ programs, service, file }, load) : null;
  io.stdout.write(
    options.json
      ? `${JSON.stringify({ path: path.join(io.workingFolder, experiment), written: Object.keys(written), dumpCommand, ...asJson(load) })}\n`
      : `${wrapLines(textOf(load, Object.keys(written), dumpCommand, name), io.columns)}\n`,
  );
}

function isName(text: string): boolean {
  try {
    requireName(text);
    return true;
  } catch {
    return false;
  }
}

/** @returns the dump as the experiment names it */
function givenDump(named: string, workingFolder: string): string {
  const file = path.resolve(workingFolder, named);
  if (!exists(file)) throw new UserError(`--dump ${named}: there is no such file. Name a dump by pg_dump.`);
  dumpFormat(file, named);
  return path.relative(path.join(workingFolder, experimentsFolder), file);
}

function requireSome({ statements, covered }: ServiceLoad, service: string): void {
  if (covered.statements > 0) return;
  const reasons = statements.flatMap(({ reason }) => (reason ? [reasonWords(reason)] : []));
  throw new UserError(
    `No statement of the service ${service} could become a script: ${list([...new Set(reasons)].slice(0, 5))}.`,
  );
}

function dumpCommandFor(
  { programs, service, file }: { programs: string; service: string; file: string },
  { extensions }: ServiceLoad,
): string {
  const program = path.join(programs, 'pg_dump');
  const command = exists(program) ? program : 'pg_dump';
  const named = extensions.map((name) => `--extension=${name}`).join(' ');
  return `${command} --format=custom ${named} --file=${file} service=${service}`;
}

function asJson({ statements, ...load }: ServiceLoad): Record<string, unknown> {
  return {
    ...load,
    statements: statements.map(({ script: _, reason, ...one }) => ({
      ...one,
      reason: reason && { ...reason, ...('column' in reason && { column: columnName(reason.column) }) },
    })),
  };
}

function columnName(column: { table: { schema: string; name: string }; name: string } | null): string | null {
  return column && `${column.table.schema}.${column.table.name}.${column.name}`;
}

function textOf(load: ServiceLoad, written: readonly string[], dumpCommand: string | null, name: string): string {
  const steps = [
    ...(dumpCommand === null ? [] : [dumpCommand]),
    `${ownCommand} plan ${name}`,
    `${ownCommand} load-run ${name} --local`,
  ];
  return [
    `Wrote ${written[0] ?? ''} and ${written.length - 1} scripts in ${experimentsFolder}/${name}/. The scripts hold values from your tables.`,
    ...serviceLoadLines(load),
    '',
    `Next${dumpCommand === null ? '' : '; the first command copies the data'}:`,
    ...steps.map((step) => `  ${step}`),
  ].join('\n');
}

function logOption(): Option {
  return new Option(
    '--log <file>',
    'draw values from the calls in this server log, if it has them; repeat for several files',
  ).argParser(oneMore);
}

export const declare: Declare = (command, io) => {
  describeArguments(command, 'the word from', 'service of pg_service.conf that leads to the database with the load');
  command.registeredArguments[0]?.choices(['from']);
  command
    .option('--name <name>', 'name of the new experiment (default: that of the service)')
    .option('--dump <file>', 'pg_dump file of the database; without it, pgduet prints the command that creates one')
    .addOption(logOption())
    .option('--writes', 'also make scripts from statements that write or lock rows')
    .addOption(bindirOption())
    .option('--json', 'print what was written, and what became of each statement, as JSON')
    .action((_: string, service: string, options: WorkloadOptions) => workloadFrom(service, options, io));
};
