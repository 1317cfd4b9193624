import path from 'node:path';
import { ownCommand } from '../../contract/own-command.ts';
import { type ListedExperiment, listExperiments } from '../../experiment/file/list.ts';
import { renderTable } from '../../report/media/terminal-table.ts';
import { wrapLines } from '../../report/media/wrap.ts';
import type { Io } from '../io.ts';
import type { Declare } from '../verb.ts';
import { left, type Table } from '../../report/media/table.ts';

/** Lists the experiments, a line each. */
export function list(options: { json?: true }, io: Io): void {
  const found = listExperiments(io.workingFolder);
  if (options.json) {
    const listed = found.map(({ name, file, question, profiles, hiding }) => ({
      name,
      file: path.relative(io.workingFolder, file),
      question,
      profiles: profiles.map((profile) => ({ name: profile.name, place: profile.place.kind })),
      hidesAnother: hiding !== null,
    }));
    io.stdout.write(`${JSON.stringify(listed, null, 2)}\n`);
    return;
  }
  const hiding = found.flatMap((one) => (one.hiding === null ? [] : [one.hiding]));
  const lines =
    found.length === 0
      ? [noExperiments]
      : [renderTable(experimentsTable(found, io.columns), io), '', ...hiding, whereWords];
  io.stdout.write(`${lines.map((line) => wrapLines(line, io.columns)).join('\n')}\n`);
}

export const noExperiments = `This folder has no experiments. Write one, starting from a template: ${ownCommand} init NAME`;

const whereWords = `here: ${ownCommand} load-run NAME --local. RDS: npx cdk deploy -c experiment=NAME. First see its trials, time and price: ${ownCommand} plan NAME`;

const head = ['experiment', 'runs', 'question'] as const;
const gap = 2;

/** Table of the experiments, a line each: as much of each question is shown as fits beside the name and the place. */
export function experimentsTable(found: readonly ListedExperiment[], columns: number): Table {
  const rows = found.map(({ name, profiles, question }) => [name, placesOf(profiles), question] as const);
  const widthOf = (index: 0 | 1): number => Math.max(...[head, ...rows].map((cells) => cells[index].length)) + gap;
  const room = columns - widthOf(0) - widthOf(1);
  return {
    title: '',
    columns: head.map((label) => left(label)),
    rows: rows.map(([name, places, question]) => ({ cells: [name, places, shortened(question, room)] })),
    notes: [],
  };
}

/** Where at least one of the profiles runs. */
function placesOf(profiles: ListedExperiment['profiles']): string {
  if (profiles.length === 0) return 'see plan';
  const words = profiles.map(({ place }) => (place.isDeployed ? 'RDS' : place.sharesMachine ? 'here' : place.kind));
  return [...new Set(words)].sort().join(', ');
}

function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, Math.max(0, max - 1)).trimEnd()}…`;
}

export const declare: Declare = (command, io) => {
  command
    .option('--json', 'print the experiments with their profiles as a JSON array')
    .action((options: { json?: true }) => list(options, io));
};
