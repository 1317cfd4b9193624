/** Numbers as all rooms print them. */

/** A ratio as percent, for a sentence: "31 %", "4.2 %". */
export function percent(ratio: number): string {
  return `${percentNumber(ratio)} %`;
}

/** Two ratios as percent: "27 to 35 %". */
export function percentRange(low: number, high: number): string {
  return `${percentNumber(low)} to ${percentNumber(high)} %`;
}

/** Several ratios as percent: "88, 94, 9.1 %". */
export function percentList(ratios: readonly number[]): string {
  return `${ratios.map(percentNumber).join(', ')} %`;
}

function percentNumber(ratio: number): string {
  return plainNumber(ratio * 100);
}

/** About two significant digits, without a zero that says nothing: "4.2", "12", "1,060". */
export function plainNumber(value: number): string {
  return formatDecimal(value, Math.abs(value) < 9.95 ? 1 : 0).replace(/\.0$/, '');
}

/** By the number of decimals. Making one takes fifty times as long as using it. */
const formats = new Map<number, Intl.NumberFormat>();

export function formatDecimal(value: number, decimals: number): string {
  const made = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const format = formats.get(decimals) ?? new Intl.NumberFormat('en-US', made);
  formats.set(decimals, format);
  const text = format.format(value);
  return /^-[0.,]*$/.test(text) ? text.slice(1) : text.replace('-', '−');
}
