import { inScale, type Scale } from '../words/quantities.ts';

/** The style of all charts. Colours are CSS variables of the page (styles.ts), so that dark mode needs no second chart. */

/** Colour and shape of a variant, by its index: both tell variants apart. A variant looks the same in every chart. */
export function variantLook(index: number): { colour: string; symbol: string } {
  const symbols = ['circle', 'diamond', 'triangle', 'rect', 'roundRect', 'arrow'];
  const place = index % symbols.length;
  return { colour: `var(--series-${place + 1})`, symbol: symbols[place] ?? 'circle' };
}

/** Style of a mark that does not count. */
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

/** The vertical axis of measured values, which the chart has divided by the scale's divisor. */
export function measuredAxis(scale: Scale) {
  return {
    ...quietAxis,
    type: 'value' as const,
    splitNumber: 4,
    axisLine: { show: false },
    axisLabel: {
      ...quietAxis.axisLabel,
      formatter: (value: number) => inScale(value * scale.divisor, { ...scale, decimals: decimalsOfTick(value) }),
    },
  };
}

/** Ticks are round numbers, and each has enough digits to differ from its neighbours. */
function decimalsOfTick(value: number): number {
  return String(Number(value.toFixed(6))).split('.')[1]?.length ?? 0;
}

/** Room around the drawing in pixels. On the right, it includes room for a variant's name after the last point. */
export function roomForNames(variants: readonly { name: string }[], narrow: boolean) {
  const longest = Math.max(0, ...variants.map(({ name }) => name.length));
  return { left: 62, right: narrow ? 12 : longest * 6.6 + 18, top: 16, bottom: 48 };
}
