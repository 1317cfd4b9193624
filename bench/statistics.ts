import { replaceSomeTables, replaceTables } from './document.ts';
import { controlsTable, levelledControlsTable } from './statistics/controls.ts';
import { decisionTables } from './statistics/decisions.ts';
import { defaultsTable } from './statistics/defaults.ts';
import { disturbanceTables } from './statistics/disturbance.ts';
import { familiesTable } from './statistics/families.ts';
import { laddersTable } from './statistics/ladders.ts';
import { nothingDiffersTables, oldWayTable } from './statistics/nothing-differs.ts';
import { phasesTable } from './statistics/phases.ts';
import { priceTable, stallPriceTable } from './statistics/price.ts';
import { rebootsTable } from './statistics/reboots.ts';
import { ruledOutTable } from './statistics/ruled-out.ts';
import { scopesTable } from './statistics/scopes.ts';
import { ledgerTable } from './statistics/ledger.ts';
import { startsTable } from './statistics/starts.ts';
import { stopsTables } from './statistics/stops.ts';
import { stoppingTables } from './statistics/stopping.ts';
import { markdownOf, rate, type Table } from './statistics/table.ts';
import { totalsTable } from './statistics/totals.ts';
import { benchPlanning } from './statistics/planning.ts';
import { benchSettling } from './statistics/settling.ts';
import { benchWithinATrial } from './statistics/within-a-trial.ts';
import { worseTable } from './statistics/worse.ts';
import { zerosTable } from './statistics/zeros.ts';

/** How many experiments are simulated for each number. */
export interface Experiments {
  /** For the tables that would show little with fewer. */
  many: number;
  /** For those that cost more. */
  enough: number;
  /** For those in which each experiment is judged with all of its trials. */
  few: number;
}

/** The tables by the word that asks for them alone, in the order of docs/reference/simulations.md. */
const parts: Readonly<Record<string, (experiments: Experiments) => Table[]>> = {
  'nothing-differs': ({ many }) => nothingDiffersTables(many),
  'old-way': ({ enough }) => [oldWayTable(enough)],
  'ruled-out': ({ enough }) => [ruledOutTable(enough)],
  totals: ({ enough }) => [totalsTable(enough)],
  disturbance: ({ few }) => disturbanceTables(0.3 * few),
  scopes: ({ enough }) => [scopesTable(enough)],
  reboots: ({ enough }) => [rebootsTable(enough)],
  phases: ({ few }) => [phasesTable(few)],
  families: ({ enough }) => [familiesTable(enough)],
  stopping: ({ few }) => stoppingTables(few),
  stops: ({ enough }) => stopsTables(enough),
  decisions: ({ many }) => decisionTables(many),
  price: ({ enough }) => [priceTable(enough)],
  'price-of-stalls': ({ few }) => [stallPriceTable(few)],
  ladders: ({ enough }) => [laddersTable(enough)],
  starts: ({ few }) => [startsTable(few)],
  ledger: ({ few }) => [ledgerTable(3 * few)],
  controls: ({ enough }) => [controlsTable(enough)],
  'controls-by-level': ({ few }) => [levelledControlsTable(few)],
  defaults: ({ enough }) => [defaultsTable(enough)],
  planning: ({ enough }) => benchPlanning(rate, enough),
  settling: ({ enough }) => [benchSettling(enough)],
  'within-a-trial': ({ enough }) => benchWithinATrial(rate, enough),
  worse: ({ few }) => [worseTable(few)],
  zeros: ({ enough }) => [zerosTable(enough)],
};

const asInDocs: Experiments = { many: 20_000, enough: 10_000, few: 1000 };

/**
 * Simulates how reliable pgduet's decisions are, prints the tables, and puts them into docs/reference/simulations.md.
 *
 * @param asked the tables to make; if there are none, all of them
 */
export async function benchStatistics(...asked: string[]): Promise<void> {
  const unknown = asked.find((name) => !Object.hasOwn(parts, name));
  if (unknown !== undefined) {
    throw new Error(`There is no table "${unknown}"; there are: ${Object.keys(parts).join(', ')}.`);
  }
  const made = asked.length === 0 ? statisticsTables(asInDocs) : asked.flatMap((name) => parts[name]?.(asInDocs) ?? []);
  const tables = made.map(markdownOf);
  process.stdout.write(`${tables.join('\n\n')}\n`);
  await (asked.length === 0
    ? replaceTables('simulations.md', 'statistics', tables.join('\n\n'))
    : replaceSomeTables('simulations.md', 'statistics', tables));
}

/** All tables of docs/reference/simulations.md that are simulated, in their order. */
export function statisticsTables(experiments: Experiments): Table[] {
  return Object.values(parts).flatMap((tables) => tables(experiments));
}
