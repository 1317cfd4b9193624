import type { Comparison } from '../../contract/comparison.ts';
import { memberName, partOf } from '../../contract/metric.ts';
import type { Result } from '../../contract/result.ts';
import { catalogue, membersIn, metricNamed } from '../../metrics/catalogue.ts';
import { valueOf } from '../../metrics/value.ts';
import { median } from '../../statistics/summaries.ts';
import { absent, inScale, scaleFor } from '../../contract/format.ts';
import { ratioFormat } from '../../contract/format-change.ts';
import { type Cell, cellsOf, left, right, type Table } from '../media/table.ts';
import { tableSection } from './section.ts';

const family = { name: 'waits.<event>' };
const share = { unit: '%', divisor: 0.01, decimals: 1 };
/** Rarer events are left out: they explain nothing, and would hide those that do. */
const [maxEvents, noticedShare] = [12, 0.005];

/**
 * What the sessions waited for, as study 1 shows it: the share of each wait event in the average active sessions, side by side,
 * with the change if two sides are compared.
 */
export function waitsTable(result: Result, counted: ReadonlySet<string>): Table {
  const cells = cellsOf(result, counted);
  const metric = catalogue.find(({ name }) => name === family.name);
  const members = metric
    ? membersIn(
        metric,
        cells.flatMap(({ trials }) => trials),
      )
    : [];
  const changes = cells.length === 2 ? result.comparisons : [];
  const rows = members
    .map((member) => {
      const comparison = changes.find(({ metric: compared }) => compared === member.name);
      const medians = cells.map(({ trials }) => median(trials.flatMap((trial) => valueOf(member, trial) ?? [])));
      const shares = cells.map(
        ({ conditions }, index) => sideValue(comparison, conditions.variant) ?? medians[index] ?? null,
      );
      return { member, comparison, shares };
    })
    .filter(({ shares }) => largest(shares) >= noticedShare)
    .sort((a, b) => largest(b.shares) - largest(a.shares))
    .slice(0, maxEvents)
    .map(({ member, comparison, shares }) => ({
      cells: [
        partOf(family, member.name) ?? member.name,
        ...shares.map((one) => inScale(one, share)),
        ...(changes.length > 0 ? changeCells(comparison) : []),
      ],
    }));
  const sessions = ['waits.active', 'waits.idle', 'waits.workers'].flatMap((name) => {
    const known = metricNamed(name);
    const values = cells.map(({ trials }) => median(trials.flatMap((trial) => valueOf({ name }, trial) ?? [])));
    if (!known || values.every((value) => value === null)) return [];
    if (name === 'waits.workers' && values.every((value) => !value)) return [];
    const scale = scaleFor('rate', values);
    return [
      {
        cells: [
          `${known.label}, median`,
          ...values.map((value) => inScale(value, scale)),
          ...(changes.length > 0 ? [absent, absent] : []),
        ],
        emphasis: 'muted' as const,
      },
    ];
  });
  return {
    title: 'Wait events',
    columns: [
      left('wait event, % of average active sessions'),
      ...cells.map(({ label }) => right(label)),
      ...(changes.length > 0 ? [right('change', 2), right('confidence interval', 1)] : []),
    ],
    rows: rows.length > 0 ? [...rows, ...sessions] : [],
    notes: [
      `Sampled from pg_stat_activity over a separate connection, which is excluded. ${changes.length > 0 ? 'The change follows from the two paired estimates beside it.' : 'Medians of valid trials.'} CPU: the server reports no wait, so the session runs or waits for a CPU.`,
      ...(rows.length < members.length
        ? [
            `Of ${members.length} events, the table shows those with at least ${inScale(noticedShare, share)}% on one side.`,
          ]
        : []),
      ...spellingNote(
        cells,
        rows.flatMap(({ cells: [event = ''] }) => event),
      ),
    ],
  };
}

/** A reader who looks for an event on their own server needs its name there. */
function spellingNote(cells: readonly Cell[], events: readonly string[]): string[] {
  const differing = events.flatMap((event) => {
    const names = cells.flatMap(({ label, trials }) => {
      const observed = trials.find(({ measures }) => memberName(family, event) in measures);
      return observed ? [{ label, name: observed.facts.waitEvents?.[event] ?? event }] : [];
    });
    const own = names.filter(({ name }) => name !== event);
    return own.length > 0 && own.length < names.length
      ? [`${event} (${own.map(({ label, name }) => `${name} on ${label}`).join(', ')})`]
      : [];
  });
  return differing.length > 0
    ? [`Versions of PostgreSQL name some events differently. The table uses the newest name: ${differing.join(', ')}.`]
    : [];
}

function largest(values: readonly (number | null)[]): number {
  return Math.max(0, ...values.map((value) => value ?? 0));
}

/** The value of a variant in a comparison; null if it has none. */
function sideValue(comparison: Comparison | undefined, variant: unknown): number | null {
  const sides = comparison ? [comparison.baseline, comparison.candidate] : [];
  return sides.find((side) => side.variant === variant)?.value ?? null;
}

function changeCells(comparison: Comparison | undefined): [change: string, interval: string] {
  const { change = null, interval = null } = comparison ?? {};
  const points = (value: number): string => ratioFormat(null).signed(value).replace('%', '');
  return [
    change === null ? absent : `${points(change)} points`,
    interval === null ? absent : `${points(interval.low)} to ${points(interval.high)}`,
  ];
}

export const waitsSection = tableSection('waits', ({ result, counted }) => waitsTable(result, counted));
