import { describe, expect, it } from 'vitest';
import { timeKinds } from '../../../runner/metrics/transaction-time.ts';
import { colourStyles, shadeOf, timeColour, timeColours, waitColour } from '../../../runner/report/charts/colours.ts';
import { contrast, distance, mixed, papersIn, visions } from '../../helpers/colour-vision.ts';

/** The events that loads of pgbench and HammerDB wait for most, on machines with slow and with fast volumes. */
const commonEvents = [
  ...['LWLock:WALWrite', 'IO:WalSync', 'IO:WalWrite', 'LWLock:WALInsert', 'IO:WalInitSync'],
  ...['IO:DataFileRead', 'LWLock:BufferMapping', 'IO:DataFileWrite', 'IO:DataFileExtend'],
  ...['Lock:transactionid', 'Lock:tuple', 'LWLock:BufferContent', 'LWLock:LockManager'],
  ...['CPU', 'Client:ClientRead', 'IPC:SyncRep'],
];

describe.each(['light', 'dark'] as const)('on a %s page, the colours', (look) => {
  const paper = papersIn(colourStyles)[look];
  const times = timeKinds.map(({ kind }) => ({ name: kind, colour: timeColours[kind][look] }));
  const waits = commonEvents.map((name) => {
    const { kind, strength } = shadeOf(name);
    return { name, colour: mixed(timeColours[kind][look], strength / 100, paper) };
  });

  it('of kinds of time carry text in the colour of the page', () => {
    for (const { name, colour } of times) {
      expect(contrast(colour, paper), name).toBeGreaterThanOrEqual(4.5);
      expect(colourStyles).toContain(`--time-${name}: ${colour};`);
    }
  });

  const told = [
    ['kinds of time', 0.055, times],
    ['wait events', 0.039, [...waits, { name: 'page', colour: paper }]],
  ] as const;
  it.each(Object.entries(visions).flatMap(([name, vision]) => told.map((one) => [name, vision, ...one] as const)))(
    'can be told apart with %s vision: %3$s',
    (_name, vision, _what, least, colours) => {
      for (const [index, one] of colours.entries()) {
        for (const other of colours.slice(index + 1)) {
          const apart = distance(one.colour, other.colour, vision);
          expect(apart, `${one.name} and ${other.name}`).toBeGreaterThanOrEqual(least);
        }
      }
    },
  );
});

it.each([
  ['LWLock:WALWrite', 'var(--time-walFlush)'],
  ['IO:WalSync', 'color-mix(in oklab, var(--time-walFlush) 68%, var(--paper))'],
  // An event, and a kind, that this version does not know.
  ['LWLock:SomethingNew', 'color-mix(in oklab, var(--time-internalLocks) 18%, var(--paper))'],
  ['red;}</style>', 'var(--time-other)'],
])('the wait event %s has the hue of its kind', (event, colour) => expect(waitColour(event)).toBe(colour));

it('a kind of time that this version does not know has the colour of the other ones', () => {
  expect(timeColour('walFlush')).toBe('var(--time-walFlush)');
  expect(timeColour('red;}</style>')).toBe('var(--time-other)');
});
