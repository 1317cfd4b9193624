import { describe, expect, it } from 'vitest';
import { timeColours } from '../../../runner/report/charts/time-colours.ts';
import { shadeOf, waitColour } from '../../../runner/report/charts/wait-colours.ts';
import { styles } from '../../../runner/report/html/styles.ts';
import { distance, mixed, papersIn, visions } from '../../helpers/colour-vision.ts';

/** The events that loads of pgbench and HammerDB wait for most, on machines with slow and with fast volumes. */
const usual = [
  ...['LWLock:WALWrite', 'IO:WalSync', 'IO:WalWrite', 'LWLock:WALInsert', 'IO:WalInitSync'],
  ...['IO:DataFileRead', 'LWLock:BufferMapping', 'IO:DataFileWrite', 'IO:DataFileExtend'],
  ...['Lock:transactionid', 'Lock:tuple', 'LWLock:BufferContent', 'LWLock:LockManager'],
  ...['CPU', 'Client:ClientRead', 'IPC:SyncRep'],
];

describe.each(['light', 'dark'] as const)('colours of wait events on a %s page', (look) => {
  const paper = papersIn(styles)[look];
  const colourOf = (event: string): string => {
    const { kind, strength } = shadeOf(event);
    return mixed(timeColours[kind][look], strength / 100, paper);
  };

  it.each(Object.entries(visions))('can be told apart with %s vision, and from the page', (_, vision) => {
    const colours = [...usual.map((event) => ({ event, colour: colourOf(event) })), { event: 'page', colour: paper }];
    for (const [index, one] of colours.entries()) {
      for (const other of colours.slice(index + 1)) {
        const apart = distance(one.colour, other.colour, vision);
        expect(apart, `${one.event} and ${other.event}`).toBeGreaterThanOrEqual(0.039);
      }
    }
  });
});

describe('the colour of a wait event', () => {
  it('follows from its name alone, and has the hue of its kind', () => {
    expect(waitColour('LWLock:WALWrite')).toBe('var(--time-walFlush)');
    expect(waitColour('IO:WalSync')).toMatch(/^color-mix\(in oklab, var\(--time-walFlush\) \d+%, var\(--paper\)\)$/);
  });

  it('is the last shade of its kind if this version does not know the event', () => {
    expect(shadeOf('LWLock:SomethingNew')).toEqual({ kind: 'internalLocks', strength: 18 });
    expect(waitColour('red;}</style>')).toBe('var(--time-other)');
  });
});
