/** Words for the ids in `facts.identity`: how the load generator worked. */
const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  begins: { 'closed-loop': 'as soon as a client is free', rate: 'at a given rate' },
  connects: { each: 'for each transaction', once: 'once' },
  limit: { transactions: 'a number of transactions', time: 'a time' },
};

/** A value of `facts.identity`, for people: an id in words, and any other value as it is. */
export function loadWords<Value extends string | number | null>(name: string, value: Value): Value | string {
  return typeof value === 'string' ? (words[name]?.[value] ?? value) : value;
}
