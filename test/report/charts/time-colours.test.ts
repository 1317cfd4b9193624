import { describe, expect, it } from 'vitest';
import { timeKinds } from '../../../runner/metrics/transaction-time.ts';
import { timeColour, timeColours, timeColourStyles } from '../../../runner/report/charts/time-colours.ts';
import { styles } from '../../../runner/report/html/styles.ts';
import { contrast, distance, papersIn, visions } from '../../helpers/colour-vision.ts';

describe.each(['light', 'dark'] as const)('the colours of kinds of time on a %s page', (look) => {
  const paper = papersIn(styles)[look];
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
