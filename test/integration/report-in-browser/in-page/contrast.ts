/** Least contrast of text of normal size (WCAG 2.2, 1.4.3). */
const least = 4.5;

type Rgb = [red: number, green: number, blue: number];

/**
 * Texts of pictures that differ too little from what is behind them. axe-core leaves them undecided: it knows no
 * backgrounds in an SVG.
 */
export function pictureContrasts(): string[] {
  return [...document.querySelectorAll<SVGTextElement>('svg text')]
    .filter((text) => text.checkVisibility() && text.getBoundingClientRect().width > 0)
    .flatMap((text) => {
      const ratio = contrast(colourOf(getComputedStyle(text).fill), behind(text));
      return ratio >= least ? [] : [`contrast ${ratio.toFixed(2)}: “${text.textContent}”`];
    });
}

/** The colour under the middle of a text: of the last opaque shape that was drawn before it, or else of the page. */
function behind(text: SVGTextElement): Rgb {
  const { left, right, top, bottom } = text.getBoundingClientRect();
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const shapes = [...(text.closest('svg')?.querySelectorAll<SVGGeometryElement>('path, rect') ?? [])];
  const under = shapes.filter((shape) => {
    if (!(text.compareDocumentPosition(shape) & Node.DOCUMENT_POSITION_PRECEDING)) return false;
    const { fill, fillOpacity } = getComputedStyle(shape);
    if (fill === 'none' || Number(fillOpacity) < 1 || isTransparent(fill)) return false;
    return shape.isPointInFill(new DOMPoint(x, y).matrixTransform(shape.getScreenCTM()?.inverse()));
  });
  const last = under.at(-1);
  if (last) return colourOf(getComputedStyle(last).fill);
  for (let element: Element | null = text.closest('div'); element; element = element.parentElement) {
    const { backgroundColor } = getComputedStyle(element);
    if (!isTransparent(backgroundColor)) return colourOf(backgroundColor);
  }
  return [255, 255, 255];
}

function isTransparent(colour: string): boolean {
  return colour === 'transparent' || /^rgba.*, 0\)$/.test(colour);
}

/** @param colour computed, such as `rgb(1, 2, 3)` */
function colourOf(colour: string): Rgb {
  const [red = NaN, green = NaN, blue = NaN] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue];
}

function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
