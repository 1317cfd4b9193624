/** US dollars; the ends differ if sources disagree on a price. */
interface Range {
  low: number;
  high: number;
}

/** Dollars in words, such as "$19.31" or "$18.93 to $19.69". */
export function dollarsText(dollars: Range): string {
  return rangeText(dollars, dollars.high >= 100 ? 0 : 2, '$');
}

/** A range of numbers; one number if its ends look the same. */
export function rangeText({ low, high }: Range, decimals: number, currency = ''): string {
  const text = (value: number) =>
    `${currency}${value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })}`;
  return text(low) === text(high) ? text(low) : `${text(low)} to ${text(high)}`;
}
