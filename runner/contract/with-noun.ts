/** A count with its noun, such as `1 client` or `2,000 clients`. */
export function withNoun(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en-US')} ${nounFor(count, one, many)}`;
}

/** The noun alone, for counts that are written in another way. */
export function nounFor(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}
