import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import type { Measures, SeriesRow } from '../../../runner/contract/metric.ts';
import { changedSample } from './changed-sample.ts';

const [small, large] = ['work-mem-4mb', 'work-mem-64mb'];
/** Bytes that a query of the baseline writes to temporary files, and reads again. */
const spilled = 4 * 2 ** 20;

/** What sessions of a load that only reads wait for, by what those of one that writes wait for. */
const waits: Readonly<Record<string, Record<string, string>>> = {
  [small]: { 'LWLock:WALWrite': 'IO:BuffileRead', 'IO:WalSync': 'IO:BuffileWrite' },
  // With memory enough, they work instead.
  [large]: { 'LWLock:WALWrite': 'CPU', 'IO:WalSync': 'CPU' },
};

/** A query of the user's own that only reads, with less and more memory for its sort. */
export function readingSample(): Promise<OpenedResult> {
  return changedSample({ variants: { [small]: 1, [large]: 1.35 } }, ({ run, trials, rows }) => {
    const { experiment } = run;
    run.place.caveats = [];
    experiment.question = 'Is this report query faster with more work_mem?';
    experiment.definition.workload['scripts'] = [{ file: 'report.sql', weight: 1 }];
    for (const [name, work] of [
      [small, '4MB'],
      [large, '64MB'],
    ] as const) {
      const variant = experiment.definition.variants[name];
      if (!variant) throw new Error(`no variant ${name}`);
      variant.description = `work_mem = ${work}`;
      variant.storage = { type: 'local', iops: 1500 };
      variant.dedicatedLogVolume = false;
      variant.engine.parameters = { work_mem: work };
    }
    for (const [index, variant] of run.variants.entries()) {
      variant.description = `work_mem = ${index === 0 ? '4MB' : '64MB'}`;
      variant.parameters = [];
      variant.settings = {
        ...variant.settings,
        log_directory: 'log',
        work_mem: index === 0 ? '4096 (kB)' : '65536 (kB)',
      };
    }
    for (const trial of trials) {
      const { variant } = trial.conditions;
      const { transactions } = trial.measures;
      trial.measures = {
        ...renamed(withoutWrites(trial.measures), variant),
        'wal.bytes': 0,
        'wal.records': 0,
        'database.temporaryBytes': variant === small ? (transactions ?? 0) * spilled : 0,
      };
      const [statement] = trial.facts.statements ?? [];
      trial.facts = {
        ...trial.facts,
        checkpoints: [],
        ...(statement && {
          statements: [{ ...statement, text: 'SELECT * FROM report ORDER BY total', walBytes: 0, blocksDirtied: 0 }],
        }),
      };
      rows.set(trial.id, renamedSeries(rows.get(trial.id) ?? [], variant));
    }
  });
}

function withoutWrites(measures: Measures): Measures {
  const isOfWrites = (name: string): boolean => /^(wal|checkpoints|backends|backgroundWriter|history)\./.test(name);
  return Object.fromEntries(Object.entries(measures).filter(([name]) => !isOfWrites(name)));
}

function renamed(measures: Measures, variant: string): Measures {
  const found: Record<string, number | null> = {};
  for (const [name, value] of Object.entries(measures)) {
    const own = nameOf(name, variant);
    found[own] = own in found ? (found[own] ?? 0) + (value ?? 0) : value;
  }
  return found;
}

/** Of those that get one name, one stays for each second, with their sum. */
function renamedSeries(rows: readonly SeriesRow[], variant: string): SeriesRow[] {
  const found = new Map<string, SeriesRow>();
  for (const row of rows) {
    const name = nameOf(row.name, variant);
    const key = `${row.second} ${name}`;
    found.set(key, { ...row, name, value: (found.get(key)?.value ?? 0) + row.value });
  }
  return [...found.values()];
}

function nameOf(name: string, variant: string): string {
  const event = Object.keys(waits[variant] ?? {}).find((one) => name.endsWith(`.${one}`));
  return event === undefined ? name : name.slice(0, -event.length) + (waits[variant]?.[event] ?? event);
}
