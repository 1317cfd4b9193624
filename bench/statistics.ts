import { replaceTables } from './document.ts';
import { controlsTable } from './statistics/controls.ts';
import { decisionTables } from './statistics/decisions.ts';
import { defaultsTable } from './statistics/defaults.ts';
import { familiesTable } from './statistics/families.ts';
import { laddersTable } from './statistics/ladders.ts';
import { nothingDiffersTables, oldWayTable } from './statistics/nothing-differs.ts';
import { phasesTable } from './statistics/phases.ts';
import { priceTable } from './statistics/price.ts';
import { ruledOutTable } from './statistics/ruled-out.ts';
import { scopesTable } from './statistics/scopes.ts';
import { startsTable } from './statistics/starts.ts';
import { stopsTables } from './statistics/stops.ts';
import { stoppingTables } from './statistics/stopping.ts';
import { markdownOf, rate, type Table } from './statistics/table.ts';
import { benchPlanning } from './statistics/planning.ts';
import { benchSettling } from './statistics/settling.ts';
import { benchWithinATrial } from './statistics/within-a-trial.ts';

/** How many experiments are simulated for each number. */
export interface Experiments {
  /** For the tables that would show little with fewer. */
  many: number;
  /** For those that cost more. */
  enough: number;
  /** For those in which each experiment is judged with all of its trials. */
  few: number;
}

/** Simulates how reliable pgduet's decisions are, prints the tables, and puts them into docs/simulations.md. */
export async function benchStatistics(): Promise<void> {
  const tables = statisticsTables({ many: 20_000, enough: 10_000, few: 1000 }).map(markdownOf).join('\n\n');
  await replaceTables('simulations.md', 'statistics', tables);
  process.stdout.write(`${tables}\n`);
}

/** All tables of docs/simulations.md that are simulated, in their order. */
export function statisticsTables({ many, enough, few }: Experiments): Table[] {
  return [
    ...nothingDiffersTables(many),
    oldWayTable(enough),
    ruledOutTable(enough),
    scopesTable(enough),
    phasesTable(few),
    familiesTable(enough),
    ...stoppingTables(enough),
    ...stopsTables(enough),
    ...decisionTables(many),
    priceTable(enough),
    laddersTable(enough),
    startsTable(few),
    controlsTable(enough),
    defaultsTable(enough),
    ...benchPlanning(rate, enough),
    benchSettling(enough),
    ...benchWithinATrial(rate, enough),
  ];
}
