import type { Client } from '../postgres/client.ts';
import type { Measures } from '../contract/metric.ts';
import { absent } from './absent.ts';
import type { Collector, Findings, Need } from './collector.ts';

/** A parameter as a new session of the load has it. */
interface SettingInForce {
  value: string;
  /** Whether only sessions of this role, or of this database, have it. */
  isOfSessions: boolean;
}

export type SettingsInForce = ReadonlyMap<string, SettingInForce>;

export const isOn = (value: string): boolean => value === 'on';

/** Operations without any time are no coincidence from this number on: each of them takes a microsecond or more. */
const min = 10;

/** Whether so many operations took no time at all, so that nobody measured it. */
export function isUntimed(operations: number | null | undefined, seconds: number | null | undefined): boolean {
  return (operations ?? 0) >= min && seconds === 0;
}

/** @param client a session of the database and the role that the load has */
export async function readNeeded(client: Client, collectors: readonly Collector[]): Promise<SettingsInForce> {
  const wanted = collectors.flatMap(({ needs = [] }) => needs.map(({ setting }) => setting));
  const { rows } = await client.query<{ name: string; value: string; isOfSessions: boolean }>(
    `SELECT name, setting AS value, source IN ('database', 'user', 'database user') AS "isOfSessions"
      FROM pg_settings WHERE name = ANY ($1)`,
    [wanted],
  );
  return new Map(rows.map(({ name, ...found }) => [name, found]));
}

/**
 * What a source found, with null in place of what the server did not count, and with the reason.
 *
 * @param inForce a server has no gap by a parameter that it does not know
 */
export function withoutGaps({ name, needs = [] }: Collector, found: Findings, inForce: SettingsInForce): Findings {
  return needs.reduce((rest, need) => {
    const why = whyUnmet(need, inForce.get(need.setting));
    if (why === null) return rest;
    if (!need.metrics) return absent(name, why);
    const gaps = gapsIn(need.metrics, rest.measures ?? {});
    if (!gaps) return rest;
    const known = rest.facts?.absent?.[name];
    const reason = { [name]: known === undefined ? why : `${known}; ${why}` };
    return {
      ...rest,
      measures: { ...rest.measures, ...gaps },
      facts: { ...rest.facts, absent: { ...rest.facts?.absent, ...reason } },
    };
  }, found);
}

/** What the figures of a whole trial show not to have been counted, whatever was in force for new sessions. */
export function gapsShown(collectors: readonly Collector[], measured: Measures): Findings[] {
  return collectors.flatMap(({ name, needs = [] }) =>
    needs.flatMap((need) => {
      if (!need.metrics || need.isDenied?.(measured) !== true) return [];
      const gaps = gapsIn(need.metrics, measured);
      return gaps ? [{ measures: gaps, ...absent(name, whyDenied(need)) }] : [];
    }),
  );
}

/** The reason where only what was seen of the sessions shows it. */
export function whyDenied({ setting, gap, remedy }: Need): string {
  return `sessions of the load ran as if ${setting} were not set, so ${gap}: ${remedy}, in scripts, too`;
}

/** null for each of these metrics that has a value; null if none has. */
function gapsIn(metrics: RegExp, measured: Measures): Measures | null {
  const names = Object.keys(measured).filter((name) => metrics.test(name) && measured[name] !== null);
  return names.length === 0 ? null : Object.fromEntries(names.map((name) => [name, null]));
}

/** Why the server does not say it; null if it does. */
function whyUnmet(
  { setting, suffices, gap, remedy, everywhere }: Need,
  found: SettingInForce | undefined,
): string | null {
  if (!found) return null;
  const { value, isOfSessions } = found;
  if (!suffices(value)) return `${setting} is ${value || 'empty'}, so ${gap}: ${remedy}`;
  return everywhere && isOfSessions
    ? `${setting} is ${value} only for this role or database, so ${gap}: ${remedy} for the whole server`
    : null;
}
