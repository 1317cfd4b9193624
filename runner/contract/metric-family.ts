import type { Metric } from './metric.ts';

/**
 * A metric whose name holds a placeholder, such as `waits.<event>`, stands for a family: one metric for each wait event that
 * a server tells of. A member has the name and the label of the family with its own part in the place of the placeholder.
 */
const placeholder = /<(\w+)>/;

/** A table of one kind of thing that families of metrics are about, such as the volumes of a server: each thing is a row. */
export interface MembersTable {
  /** Name of the section of the report, such as `volumes`. */
  id: string;
  title: string;
  /** What a member is, such as `volume`. */
  what: string;
  /** What stands for it in the names of its families, such as `<volume>`. */
  placeholder: string;
  /** Whether it stands in a terminal, too. @default false */
  inTerminal?: boolean;
  /** Ends of the names of those that are shown first, and left out last where there is little room. */
  first?: readonly string[];
  notes: readonly string[];
}

export function isFamily({ name }: Pick<Metric, 'name'>): boolean {
  return placeholder.test(name);
}

/** Name of the member, such as `waits.LWLock:WALWrite`. */
export function memberName({ name }: Pick<Metric, 'name'>, part: string): string {
  return name.replace(placeholder, () => part);
}

/** Name of a metric of one script alone, such as `latency.p99@order`. */
export function ofScript(metric: string, script: string): string {
  return memberName({ name: `${metric}@<script>` }, script);
}

/** The metric of one member. */
export function memberOf(family: Metric, part: string): Metric {
  const ofPart = (text: string): string => text.replace(placeholder, () => part);
  return {
    ...family,
    name: memberName(family, part),
    label: ofPart(family.label),
    ...(family.inSentence !== undefined && { inSentence: ofPart(family.inSentence) }),
  };
}

/** What stands for the placeholder in the name of a member; null if the name is not of this family. */
export function partOf({ name: family }: Pick<Metric, 'name'>, name: string): string | null {
  const [before = '', , after = ''] = family.split(placeholder);
  const longEnough = name.length > before.length + after.length;
  return longEnough && name.startsWith(before) && name.endsWith(after)
    ? name.slice(before.length, name.length - after.length)
    : null;
}
