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
import { stoppingTable } from './statistics/stopping.ts';
import { markdownOf, rate, type Table } from './statistics/table.ts';
import { benchPlanning } from './statistics/planning.ts';
import { benchSettling } from './statistics/settling.ts';
import { benchWithinATrial } from './statistics/within-a-trial.ts';

/** For the tables that would tell little with fewer, and for those that cost more. */
const [many, enough] = [20_000, 10_000];

/** Simulates how far pgduet's decisions can be trusted, prints the tables, and puts them into docs/statistics.md. */
export async function benchStatistics(): Promise<void> {
  const tables = allTables().map(markdownOf).join('\n\n');
  await replaceTables('statistics', tables);
  process.stdout.write(`${tables}\n`);
}

function allTables(): Table[] {
  return [
    ...nothingDiffersTables(many),
    oldWayTable(enough),
    ruledOutTable(enough),
    scopesTable(enough),
    phasesTable(enough / 10),
    familiesTable(enough),
    stoppingTable(enough),
    ...stopsTables(enough),
    ...decisionTables(many),
    priceTable(enough),
    laddersTable(enough),
    startsTable(enough / 10),
    controlsTable(enough),
    defaultsTable(enough),
    ...benchPlanning(rate),
    benchSettling(),
    ...benchWithinATrial(rate),
  ];
}
