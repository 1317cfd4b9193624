import type { Result } from '../../contract/result.ts';
import { variantLook } from './subject.ts';

/** How one variant looks in every picture. */
export interface KeyEntry {
  name: string;
  /** A CSS variable of the page. */
  colour: string;
  /** SVG of its mark in a box of 12 by 12 pixels, in the colour that it inherits. */
  shape: string;
}

/** Which colour and shape stands for which variant. */
export function keyOf({ variants }: Pick<Result, 'variants'>): KeyEntry[] {
  return variants.map(({ name }, index) => {
    const { colour, symbol } = variantLook(index);
    return { name, colour, shape: shapes[symbol] ?? circle };
  });
}

const circle = '<circle cx="6" cy="6" r="5"/>';

const shapes: Record<string, string> = {
  circle,
  diamond: '<path d="M6 0l6 6-6 6-6-6z"/>',
  triangle: '<path d="M6 1l6 10H0z"/>',
  rect: '<path d="M1 1h10v10H1z"/>',
  roundRect: '<rect x="1" y="1" width="10" height="10" rx="3"/>',
  arrow: '<path d="M6 0l5 12-5-3-5 3z"/>',
};
