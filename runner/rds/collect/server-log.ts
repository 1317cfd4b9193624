import { DescribeDBLogFilesCommand, DownloadDBLogFilePortionCommand, type RDSClient } from '@aws-sdk/client-rds';
import { callAws } from '../aws/call.ts';
import { askOfEach } from './ask-of-each.ts';
import type { AwsSources } from './sources.ts';

/** These sources, which also read the logs of the instances. */
export function withLogs(known: Omit<AwsSources, 'readLogs'>): AwsSources {
  const sources: AwsSources = {
    ...known,
    readLogs: (collector, trials, { before, after, isWanted, find }) =>
      askOfEach(collector, trials, { sources }, async ({ trial, instance }) => {
        const [startedAt, endedAt] = [new Date(trial.startedAt), new Date(trial.endedAt)];
        const [from, to] = [new Date(startedAt.getTime() - before), new Date(endedAt.getTime() + after)];
        const lines: string[] = [];
        for await (const line of readServerLog(known.rds, instance.identifier, from, to)) {
          if (isWanted(line)) lines.push(line);
        }
        return find(lines, { startedAt, endedAt });
      }),
  };
  return sources;
}

/** Marker of the first portion of a file. Without it, RDS returns the last lines. */
const beginning = '0';

/**
 * The lines of PostgreSQL's own log on an RDS instance between two moments, in order and without line ends. Each line
 * of a message is separate. Lines after the first begin with a tab and have no time of their own.
 *
 * This costs the instance a little, so do not call it during a trial.
 *
 * @param instance DBInstanceIdentifier
 * @throws {AwsCallError}
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DownloadDBLogFilePortion.html
 */
export async function* readServerLog(client: RDSClient, instance: string, from: Date, to: Date): AsyncIterable<string> {
  for (const file of await filesBetween(client, instance, from, to)) {
    // Both the files and the lines in each file are in order of time.
    let isWithin = false;
    for await (const line of linesOf(client, instance, file)) {
      const at = timeOf(line);
      // The log may have times in whole seconds.
      if (at !== null) isWithin = at + 1000 > from.getTime() && at <= to.getTime();
      if (at !== null && at > to.getTime()) return;
      if (isWithin) yield line;
    }
  }
}

/**
 * The time at the beginning of a line, as Unix time in milliseconds: RDS's log_line_prefix begins with `%t` or `%m`, in UTC.
 * null for a line without a time.
 */
export function timeOf(line: string): number | null {
  const [, day, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,3})?) (?:UTC|GMT)\b/.exec(line) ?? [];
  const at = day === undefined ? NaN : Date.parse(`${day}T${time}Z`);
  return Number.isNaN(at) ? null : at;
}

/** Names of the files that may hold lines of the window, the oldest first. */
async function filesBetween(client: RDSClient, instance: string, from: Date, to: Date): Promise<string[]> {
  const files: { name: string; lastWritten: number }[] = [];
  let Marker: string | undefined;
  do {
    const { DescribeDBLogFiles = [], ...answer } = await callAws('rds:DescribeDBLogFiles', instance, () =>
      client.send(
        new DescribeDBLogFilesCommand({
          DBInstanceIdentifier: instance,
          FilenameContains: 'postgresql.log',
          Marker,
          // Only files that were written to since.
          FileLastWritten: from.getTime(),
        }),
      ),
    );
    for (const { LogFileName: name, LastWritten: lastWritten = 0 } of DescribeDBLogFiles) {
      if (name !== undefined) files.push({ name, lastWritten });
    }
    Marker = answer.Marker;
  } while (Marker !== undefined && Marker !== '');
  files.sort((a, b) => a.lastWritten - b.lastWritten || (a.name < b.name ? -1 : 1));
  const last = files.findIndex(({ lastWritten }) => lastWritten > to.getTime());
  return (last === -1 ? files : files.slice(0, last + 1)).map(({ name }) => name);
}

/** The lines of one file. A line that is split between two portions is put together. */
async function* linesOf(client: RDSClient, instance: string, file: string): AsyncIterable<string> {
  let rest = '';
  let Marker = beginning;
  for (;;) {
    const {
      LogFileData = '',
      Marker: next,
      AdditionalDataPending,
    } = await callAws('rds:DownloadDBLogFilePortion', `${instance} ${file}`, () =>
      client.send(new DownloadDBLogFilePortionCommand({ DBInstanceIdentifier: instance, LogFileName: file, Marker })),
    );
    const lines = `${rest}${LogFileData}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (AdditionalDataPending !== true || next === undefined || next === Marker) break;
    Marker = next;
  }
  if (rest !== '') yield rest;
}
