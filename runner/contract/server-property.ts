/** A value of a property; null if it is not known, or left to the place. */
export type PropertyValue = string | number | boolean | null;

/** A property of a server that PostgreSQL does not know, but its place does, such as its class. */
export interface ServerProperty {
  /** Where the records of a server have it, such as `storage.iops` (server-facts.ts). */
  id: string;
  /** Such as `instance class`. */
  name: string;
  /** What yes and no mean. @default on and off */
  yesNo?: readonly [yes: string, no: string];
  /**
   * The check that fails if two sides differ in it, but were meant to be alike. @default none: it follows from others, or
   * is compared elsewhere
   */
  check?: 'deployment' | 'zone' | 'log-volume';
  /** Name of the value in a variant's definition, if it asks for the same in other words. @default the id */
  definedAs?: string;
  /** Its row among the settings of a report. @default none: the definition of the variant shows it */
  label?: string;
}

/** The value in a record of a server; null if the record does not say. */
export function propertyIn(record: object, id: string): PropertyValue {
  const value = id.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown> | null)?.[key], record);
  return ['string', 'number', 'boolean'].includes(typeof value) ? (value as PropertyValue) : null;
}

/** The value as a text, or as it is; null if the record does not say. */
export function shownProperty(record: object, { id, yesNo = ['on', 'off'] }: ServerProperty): string | number | null {
  const value = propertyIn(record, id);
  return typeof value === 'boolean' ? yesNo[value ? 0 : 1] : value;
}
