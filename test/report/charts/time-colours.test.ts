import { describe, expect, it } from 'vitest';
import { timeKinds } from '../../../runner/metrics/transaction-time.ts';
import { timeColour, timeColours, timeColourStyles } from '../../../runner/report/charts/time-colours.ts';
import { styles } from '../../../runner/report/html/styles.ts';

type Triple = readonly [number, number, number];
type Matrix = readonly [Triple, Triple, Triple];

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
function contrast(one: string, other: string): number {
  const luminance = ([red, green, blue]: Triple): number => 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const [dark = 0, bright = 0] = [luminance(light(one)), luminance(light(other))].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

/** What people see who have no cones for long or for medium waves (Machado, Oliveira and Fernandes 2009, table 1). */
const visions: Record<string, Matrix> = {
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

function distance(one: string, other: string, vision: Matrix): number {
  const [a, b] = [oklab(times(vision, light(one))), oklab(times(vision, light(other)))];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

describe.each(['light', 'dark'] as const)('the colours of kinds of time on a %s page', (look) => {
  const papers = [...styles.matchAll(/--paper: (#[\da-f]{3,6})/g)].map(([, paper = '']) => paper);
  const paper = (look === 'light' ? papers[0] : papers[1])?.replace(/^#(.)(.)(.)$/, '#$1$1$2$2$3$3') ?? '';
  const colours = timeKinds.map(({ kind }) => ({ kind, colour: timeColours[kind][look] }));

  it('carry text in the colour of the page', () => {
    for (const { kind, colour } of colours) expect(contrast(colour, paper), kind).toBeGreaterThanOrEqual(4.5);
  });

  it.each(Object.entries(visions))('can be told apart with %s vision', (_, vision) => {
    for (const [index, one] of colours.entries()) {
      for (const other of colours.slice(index + 1)) {
        const apart = distance(one.colour, other.colour, vision);
        expect(apart, `${one.kind} and ${other.kind}`).toBeGreaterThanOrEqual(0.055);
      }
    }
  });

  it('are defined in the page’s style sheet', () => {
    for (const { kind, colour } of colours) expect(timeColourStyles).toContain(`--time-${kind}: ${colour};`);
  });
});

describe('the colour of a kind of time', () => {
  it('is that of the other ones if this version does not know the kind', () => {
    expect(timeColour('walFlush')).toBe('var(--time-walFlush)');
    expect(timeColour('red;}</style>')).toBe('var(--time-other)');
  });
});
