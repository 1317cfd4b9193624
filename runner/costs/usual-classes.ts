import type { Priced } from './price.ts';

/** Families that people measure, and from which they measure. The prices of all their sizes are kept. */
const families: Partial<Record<Priced['kind'], readonly string[]>> = {
  'database-instance': [
    ...['r5', 'r5d', 'r6g', 'r6gd', 'r6i', 'r7g', 'r7i', 'r8g', 'r8gd'],
    ...['m5', 'm5d', 'm6g', 'm6gd', 'm6i', 'm7g', 'm7i', 'm8g', 'm8gd'],
  ],
  'driver-instance': [
    ...['r5', 'r6i', 'r7i', 'r6g', 'r7g', 'r8g'],
    ...['m5', 'm6i', 'm7i', 'm6g', 'm7g', 'm8g'],
    ...['c5', 'c6i', 'c6in', 'c7i', 'c6g', 'c7g', 'c8g'],
  ],
};

/** Whether the price of this is kept though no experiment here needs it: everything but instances of unusual families. */
export function isUsual(priced: Priced): boolean {
  if (!('class' in priced)) return true;
  const [family = '', size = ''] = priced.class.replace(/^db\./, '').split('.');
  return (families[priced.kind]?.includes(family) ?? false) && /^\d*x?large$/.test(size);
}
