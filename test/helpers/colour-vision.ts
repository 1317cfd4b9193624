type Triple = readonly [number, number, number];
export type Matrix = readonly [Triple, Triple, Triple];

function times(matrix: Matrix, [x, y, z]: Triple): Triple {
  const row = ([a, b, c]: Triple): number => a * x + b * y + c * z;
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
}

/** Red, green and blue from 0 to 1, of which the amount of light is proportional (IEC 61966-2-1). */
function light(colour: string): Triple {
  const at = (index: number): number => {
    const value = Number.parseInt(colour.slice(index, index + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [at(1), at(3), at(5)];
}

/** Contrast as in WCAG 2. */
export function contrast(one: string, other: string): number {
  const luminance = ([red, green, blue]: Triple): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const [dark = 0, bright = 0] = [luminance(light(one)), luminance(light(other))].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

/** What people see who have no cones for long or for medium waves (Machado, Oliveira and Fernandes 2009, table 1). */
export const visions: Record<string, Matrix> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

/** https://bottosson.github.io/posts/oklab/ */
function oklab(colour: Triple): Triple {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    colour,
  );
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    [Math.cbrt(Math.max(0, cones[0])), Math.cbrt(Math.max(0, cones[1])), Math.cbrt(Math.max(0, cones[2]))],
  );
}

/** Distance in OKLab of two colours such as `#0067a6`, as such people see them. */
export function distance(one: string, other: string, vision: Matrix): number {
  const [a, b] = [oklab(times(vision, light(one))), oklab(times(vision, light(other)))];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** The colours of paper that the page's style sheet has: for paper, and for a dark screen. */
export function papersIn(styles: string): { light: string; dark: string } {
  const [light = '', dark = ''] = [...styles.matchAll(/--paper: (#[\da-f]{3,6})/g)].map(([, paper = '']) =>
    paper.replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3'),
  );
  return { light, dark };
}

/** What CSS makes of `color-mix(in oklab, one share%, other)`. @param share from 0 to 1 */
export function mixed(one: string, share: number, other: string): string {
  const [a, b] = [oklab(light(one)), oklab(light(other))];
  const at = (index: 0 | 1 | 2): number => a[index] * share + b[index] * (1 - share);
  const [lightness, green, blue]: Triple = [at(0), at(1), at(2)];
  const cones = times(
    [
      [1, 0.3963377774, 0.2158037573],
      [1, -0.1055613458, -0.0638541728],
      [1, -0.0894841775, -1.291485548],
    ],
    [lightness, green, blue],
  ).map((value) => value ** 3);
  const linear = times(
    [
      [4.0767416621, -3.3077115913, 0.2309699292],
      [-1.2684380046, 2.6097574011, -0.3413193965],
      [-0.0041960863, -0.7034186147, 1.707614701],
    ],
    [cones[0] ?? 0, cones[1] ?? 0, cones[2] ?? 0],
  );
  return `#${linear
    .map((value) => {
      const within = Math.min(1, Math.max(0, value));
      const coded = within <= 0.0031308 ? 12.92 * within : 1.055 * within ** (1 / 2.4) - 0.055;
      return Math.round(255 * coded)
        .toString(16)
        .padStart(2, '0');
    })
    .join('')}`;
}
