import { describe, expect, it } from 'vitest';
import { isFamily } from '../../runner/contract/metric.ts';
import { catalogue } from '../../runner/metrics/catalogue.ts';
import { evidenceGroups, groupOf } from '../../runner/metrics/evidence-groups.ts';
import { changedSample } from '../helpers/samples/changed-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { evidenceTable } from '../../runner/report/sections/evidence.ts';
import { groupsOf, type Row, type Table } from '../../runner/report/media/table.ts';
import { reported } from '../../runner/report/reported.ts';

describe('the evidence', () => {
  it('has a group for every metric, in the order of the groups', async () => {
    const shown = catalogue.filter((metric) => !metric.hidden && !metric.reportedByLoad && !isFamily(metric));
    expect(shown.filter((metric) => groupOf(metric) === 'Other').map(({ name }) => name)).toEqual([]);
    const { rows } = await sampleEvidence();
    const groups = groupsOf(rows).map(({ group }) => group);
    expect(groups).toEqual(evidenceGroups.filter((group) => groups.includes(group)));
    expect(groups.length).toBeGreaterThan(2);
  });

  it('has the largest change of each group first', async () => {
    const { rows } = await sampleEvidence();
    for (const { rows: own } of groupsOf(rows)) {
      const sizes = own.map((row) => Math.round(percentOf(changeOf(row))));
      expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    }
  });

  it('says of each row with an interval whether the interval excludes zero, and counts them', async () => {
    const { rows, summary } = await sampleEvidence();
    const compared = rows.filter(({ cells }) => cells.at(-1) !== '–');
    const beyond = compared.filter(({ cells }) => {
      const [low = 0, high = 0] =
        (cells.at(-1) ?? '')
          .replaceAll('−', '-')
          .match(/-?[\d.]+/g)
          ?.map(Number) ?? [];
      return low > 0 === high > 0 && low !== 0 && high !== 0;
    });
    expect(compared.length).toBeGreaterThan(0);
    expect(rows.filter(({ differs }) => differs)).toEqual(beyond);
    expect(rows.filter(({ emphasis }) => emphasis === 'strong')).toEqual(beyond);
    expect(rows.filter(({ differs }) => differs === undefined)).toHaveLength(rows.length - compared.length);
    expect(summary).toMatch(
      new RegExp(
        `^${rows.length} rows, ${rows.length - compared.length} without a paired comparison; ${beyond.length} of ${compared.length} intervals? excludes? zero$`,
      ),
    );
  });

  it('has the change of the medians if the metric was not compared, for shares in points', async () => {
    const { result } = await changedSample({}, ({ trials }) => {
      for (const trial of trials) {
        const isFirst = trial.conditions.variant === 'without-log-volume';
        Object.assign(trial.measures, { 'driver.busy': isFirst ? 0.2 : 0.5, 'wal.records': isFirst ? 100 : 150 });
      }
    });
    const { rows } = evidenceTable(result, reported(result).counted);
    const cellsOf = (label: string) => rows.find(({ cells }) => cells[0] === label)?.cells.slice(1);
    expect(cellsOf('driver CPU busy (%)')).toEqual(['20.0', '50.0', '+30 points', '–']);
    expect(cellsOf('WAL records')).toEqual(['100', '150', '+50.0%', '–']);
  });

  it('has no two rows of one name, and no figure twice', async () => {
    const rowsOf = async (options: Parameters<typeof sampleResult>[0]): Promise<string[]> => {
      const result = await sampleResult(options);
      return evidenceTable(result, reported(result).counted).rows.map(({ cells }) => cells[0] ?? '');
    };
    const rowsOfTwo = await rowsOf({});
    expect(rowsOfTwo).toEqual([...new Set(rowsOfTwo)]);
    expect(rowsOfTwo).toContain('WAL (B/transaction)');
    expect(rowsOfTwo.filter((label) => label.startsWith('WAL per transaction'))).toEqual([]);
    // Of several, no row is divided by the transactions.
    const rowsOfThree = await rowsOf({ variants: { base: 1, quick: 1.2, slow: 0.8 } });
    expect(rowsOfThree.filter((label) => label.startsWith('WAL per transaction'))).toHaveLength(1);
  });

  it('shows values alone if there are more than two sides', async () => {
    const result = await sampleResult({ variants: { base: 1, quick: 1.2, slow: 0.8 } });
    const { columns, rows } = evidenceTable(result, reported(result).counted);
    expect(columns.map(({ label }) => label)).toEqual(['per trial', 'base', 'quick', 'slow']);
    expect(rows.every(({ cells }) => cells.length === 4)).toBe(true);
  });
});

async function sampleEvidence(): Promise<Table> {
  const result = await sampleResult();
  return evidenceTable(result, reported(result).counted);
}

function changeOf({ cells }: Row): string {
  return cells.at(-2) ?? '';
}

/** The size of a change in percent, which may be printed as a multiple, such as `9 times`. */
function percentOf(printed: string): number {
  const value = parseFloat(printed.replace('−', '-')) || 0;
  return printed.endsWith(' times') ? 100 * (value - 1) : Math.abs(value);
}
