/**
 * Whether two values that JSON can hold are the same. JSON keeps every digit, but sums may be added in another order.
 * An absent field equals an undefined one.
 */
export function isAlike(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') {
    return a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
  }
  if (!isHolder(a) || !isHolder(b)) return a === b;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Array.isArray(a) === Array.isArray(b) && [...names].every((name) => isAlike(a[name], b[name]));
}

function isHolder(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
