import type { ClassCapacity } from './class-capacity.ts';

/** What RDS puts in the place of a name in a formula. DBInstanceClassMemory is a little less: RDS takes its share first. */
type Known = Pick<ClassCapacity, 'vcpus' | 'memoryBytes'>;

/**
 * The value of a formula such as `LEAST({DBInstanceClassMemory/9531392},5000)` on a class. Quotients are cut off. As the
 * memory is what the class has before RDS's own processes, what grows with it is an upper bound.
 *
 * @returns null for what this does not evaluate, such as a logarithm or the size of the storage, and for what is no formula
 *
 * @see https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ParamValuesRef.html
 */
export function evaluateFormula(text: string, known: Known): number | null {
  const words = text.match(/[A-Za-z]+|\d+|[^\s]/g) ?? [];
  const braces: Record<string, string> = { '{': '(', '}': ')' };
  const reader = { words: words.map((word) => braces[word] ?? word), at: 0, known };
  const value = readProduct(reader);
  return reader.at === reader.words.length ? value : null;
}

interface Reader {
  words: readonly string[];
  at: number;
  known: Known;
}

const functions: Readonly<Record<string, (values: readonly number[]) => number>> = {
  GREATEST: (values) => Math.max(...values),
  LEAST: (values) => Math.min(...values),
  SUM: (values) => values.reduce((sum, value) => sum + value, 0),
};

function readProduct(reader: Reader): number | null {
  let value = readFactor(reader);
  for (
    let operator = reader.words[reader.at];
    operator === '*' || operator === '/';
    operator = reader.words[reader.at]
  ) {
    reader.at += 1;
    const other = readFactor(reader);
    if (value === null || other === null || (operator === '/' && other === 0)) return null;
    value = operator === '*' ? value * other : Math.trunc(value / other);
  }
  return value;
}

function readFactor(reader: Reader): number | null {
  const word = reader.words[reader.at] ?? '';
  reader.at += 1;
  if (/^\d+$/.test(word)) return Number(word);
  if (word === '(') {
    const [value = null, ...others] = readRest(reader) ?? [];
    return others.length === 0 ? value : null;
  }
  switch (word) {
    case 'DBInstanceClassMemory':
      return reader.known.memoryBytes;
    case 'DBInstanceVCPU':
      return reader.known.vcpus;
  }
  const evaluate = Object.hasOwn(functions, word) ? functions[word] : undefined;
  if (evaluate === undefined || reader.words[reader.at] !== '(') return null;
  reader.at += 1;
  const values = readRest(reader);
  return values && evaluate(values);
}

/** The values up to a closing parenthesis; null if one of them is not known, or the parenthesis is missing. */
function readRest(reader: Reader): number[] | null {
  const values: number[] = [];
  for (;;) {
    const value = readProduct(reader);
    const next = reader.words[reader.at];
    reader.at += 1;
    if (value === null) return null;
    values.push(value);
    if (next === ')') return values;
    if (next !== ',') return null;
  }
}
