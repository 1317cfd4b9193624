/** The style of all charts. Colours are CSS variables of the page (styles.ts), so that dark mode needs no second chart. */

/** Colour and shape of a variant, by its index: both tell variants apart. A variant looks the same in every chart. */
export function variantLook(index: number): { colour: string; symbol: string } {
  const symbols = ['circle', 'diamond', 'triangle', 'rect', 'roundRect', 'arrow'];
  const place = index % symbols.length;
  return { colour: `var(--series-${place + 1})`, symbol: symbols[place] ?? 'circle' };
}

/** Style of a mark that counts for nothing. */
export function hollow(colour: string) {
  return { color: 'transparent', borderColor: colour, borderWidth: 1.5, opacity: 0.8 };
}

export const ink = 'var(--ink)';
export const softInk = 'var(--soft)';
export const ruleColour = 'var(--rule)';
export const bandColour = 'var(--band)';

/** Style of an axis that stays in the background. */
export const quietAxis = {
  axisLine: { show: true, lineStyle: { color: ruleColour } },
  axisTick: { show: false },
  axisLabel: { color: softInk, fontSize: 12 },
  splitLine: { show: true, lineStyle: { color: ruleColour } },
  nameTextStyle: { color: softInk, fontSize: 12 },
};

/** Width for names that are written to the right of the last point, in pixels. */
export function labelRoom(names: readonly string[]): number {
  return Math.max(0, ...names.map(({ length }) => length)) * 6.6 + 18;
}
