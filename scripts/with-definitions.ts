type Json = unknown;

/**
 * Schemas of fewer characters than this remain in place: looking up a definition would cost a reader more than it
 * saves.
 */
const worthIt = 160;

/**
 * The same JSON Schema (draft 7), in which each larger schema that occurs in several places is a definition. A
 * definition has the name of the key at which it occurs, such as `storage`.
 */
export function withDefinitions(schema: object): object {
  const times = new Map<string, number>();
  walk(schema, '', (text) => times.set(text, (times.get(text) ?? 0) + 1));
  const names = new Map<string, string>();
  walk(schema, '', (text, key) => {
    if (text.length < worthIt || (times.get(text) ?? 0) < 2 || names.has(text)) return;
    const taken = [...names.values()].filter((name) => name.replace(/-\d+$/, '') === key).length;
    names.set(text, taken === 0 ? key : `${key}-${taken + 1}`);
  });
  const definitions: Record<string, Json> = {};
  for (const [text, name] of names) definitions[name] = referring(JSON.parse(text), names, text);
  return { ...(referring(schema, names) as object), definitions };
}

/** Calls `see` with every schema below this one, and the nearest key that says what it is. */
function walk(value: Json, key: string, see: (text: string, key: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [own, below] of Object.entries(value)) {
    const named = Array.isArray(value) || keywords.has(own) ? key : own;
    if (!Array.isArray(below) && typeof below === 'object' && below !== null && !holders.has(own)) {
      see(JSON.stringify(below), named);
    }
    walk(below, named, see);
  }
}

/** Keywords whose value holds schemas by name, and is none itself. */
const holders = new Set(['properties', 'definitions']);
/** Keywords that say nothing about what the schema below them is of. */
const keywords = new Set([...holders, 'additionalProperties', 'items', 'anyOf', 'oneOf', 'propertyNames']);

/** @param but the text of the schema that must not refer to itself */
function referring(value: Json, names: ReadonlyMap<string, string>, but?: string): Json {
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  const name = text === but ? undefined : names.get(text);
  if (name !== undefined) return { $ref: `#/definitions/${name}` };
  if (Array.isArray(value)) return value.map((one) => referring(one, names));
  return Object.fromEntries(Object.entries(value).map(([key, below]) => [key, referring(below, names)]));
}
