import { type Fields, isFields, numberOf, tagged, textOf } from '../parse.ts';
import { stringConstant } from '../values.ts';

/** Where a statement has a constant or a parameter. */
export type Slot =
  | { kind: 'parameter'; number: number }
  /** SQL of a constant. */
  | { kind: 'constant'; sql: string };

/** A statement without its constants and parameters: two that differ in those only have the same key. */
export interface Slots {
  key: string;
  /** In the order of the parse tree. */
  slots: Slot[];
}

/** Takes the constants and parameters of a statement out of its parse tree. */
export function slotsOf({ tag, fields }: { tag: string; fields: Fields }): Slots {
  const slots: Slot[] = [];
  const key = JSON.stringify({ [tag]: fields }, (name, value: unknown) => {
    if (isPlace.test(name) && typeof value === 'number') return undefined;
    const slot = slotOf(value);
    if (!slot) return value;
    slots.push(slot);
    return '?';
  });
  return { key, slots };
}

/** Fields that say where something stands in the text. */
const isPlace = /location$|_(?:start|end)$/;

function slotOf(value: unknown): Slot | null {
  const found = tagged(value);
  if (found?.tag === 'ParamRef') return { kind: 'parameter', number: numberOf(found.fields['number']) };
  return found?.tag === 'A_Const' ? { kind: 'constant', sql: constantOf(found.fields) } : null;
}

function constantOf(fields: Fields): string {
  if (fields['isnull'] === true) return 'NULL';
  const part = (name: string, within: string): string | null | undefined => {
    const value = fields[name];
    return isFields(value) ? textOf(value[within]) : undefined;
  };
  if (isFields(fields['ival'])) return signed(String(numberOf(fields['ival']['ival'])));
  if (isFields(fields['boolval'])) return String(fields['boolval']['boolval'] === true);
  const number = part('fval', 'fval');
  if (typeof number === 'string') return signed(number);
  const bits = part('bsval', 'bsval');
  if (typeof bits === 'string') return `${bits.slice(0, 1)}'${bits.slice(1)}'`;
  return stringConstant(part('sval', 'sval') ?? '');
}

function signed(number: string): string {
  return number.startsWith('-') ? `(${number})` : number;
}
