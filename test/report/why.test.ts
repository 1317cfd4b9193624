import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mechanisms } from '../../runner/analysis/explanation/mechanisms.ts';
import type { Distribution } from '../../runner/contract/distribution.ts';
import type { ExplainedTime, Explanation } from '../../runner/contract/explanation.ts';
import { timeKinds } from '../../runner/metrics/transaction-time.ts';
import { blocksFor } from '../../runner/report/sections/section.ts';
import { timeSection } from '../../runner/report/sections/time.ts';
import { whyInBrief, whyParagraph } from '../../runner/report/sections/why-words.ts';
import { whySection, whyTables } from '../../runner/report/sections/why.ts';
import { renderBlocks } from '../../runner/report/terminal/terminal.ts';
import type { Reported } from '../../runner/report/reported.ts';

const interval = { low: -0.0103, high: -0.0088, level: 0.96875 };

function time(kind: string, [baseline, candidate]: [number, number], share: number | null): ExplainedTime {
  return { kind, title: `waits for ${kind}`, baseline, candidate, change: candidate - baseline, interval, share };
}

const link: Explanation['mechanisms'][number]['links'][number] = {
  metric: 'wal.meanSyncTime',
  unit: 's',
  claim: 'a flush of WAL takes longer',
  changedBy: 'ratio',
  baseline: 0.004,
  candidate: 0.002,
  change: -0.5,
  interval: { low: -0.55, high: -0.45, level: 0.96875 },
  agreeing: 6,
  pairs: 6,
  standing: 'holds',
};

const mechanism: Explanation['mechanisms'][number] = {
  name: 'slow-flush',
  title: 'Each flush takes longer',
  standing: 'observed',
  role: 'cause',
  size: 0.0105,
  kind: 'flush',
  links: [link],
  sources: ['https://example.org/wal'],
};

/** The baseline takes 20 ms for a transaction, the candidate 10 ms. */
const explanation: Explanation = {
  baseline: 'one-volume',
  candidate: 'two-volumes',
  conditions: { clients: 16 },
  slower: 'one-volume',
  pairs: 6,
  time: [
    time('flush', [0.0163, 0.0067], 0.96),
    time('cpu', [0.0032, 0.0021], 0.11),
    time('other', [0.0005, 0.0012], -0.07),
  ],
  mechanisms: [mechanism],
};

const changed = (some: Partial<Explanation>): Explanation => ({ ...explanation, ...some });

const paragraph = (some: Partial<Explanation> = {}): string => whyParagraph(changed(some), []);

/** As slow as at most 1 % of the faster side: a fifth of the slower side’s transactions. */
const slow: Distribution['slow'] = {
  than: 'two-volumes',
  fromSeconds: 0.0655,
  baseline: { transactions: 0.2, time: 0.6 },
  candidate: { transactions: 0.009, time: 0.05 },
};

function slowSentence(changed: Partial<Distribution['slow']>): string {
  const { baseline, candidate, conditions } = explanation;
  const distribution = { baseline, candidate, conditions, crossing: null, slow: { ...slow, ...changed } };
  return /With \S+, \S+ % of transactions.*?\.(?= All)/.exec(whyParagraph(explanation, [distribution]))?.[0] ?? '';
}

function timeRows(of: Explanation): string[][] {
  const [time] = whyTables(of).parts;
  return time?.kind === 'table' ? time.table.rows.map(({ cells }) => cells) : [];
}

const cells = (of: Explanation): number[][] =>
  timeRows(of).map((row) => row.slice(1, 4).map((cell) => Number(cell.replace('−', '-'))));

describe('the paragraph on where the time goes', () => {
  it('says how much of the time is in slow transactions, with the threshold, only if the slower side has more of it', () => {
    expect(slowSentence({})).toBe(
      'With one-volume, 20 % of transactions take 65.5 ms or longer, and they hold 60 % of all transaction time; with two-volumes, at most 1 % do, with 5 % of the time.',
    );
    expect(slowSentence({ candidate: { transactions: 0, time: 0 } })).toContain('with less than 0.5 % of the time');
    expect(slowSentence({ baseline: { transactions: 0.02, time: 0.1 } })).toBe('');
    expect(slowSentence({ than: 'one-volume' })).toBe('');
  });

  it('says what a transaction takes on both sides, what the slower side does longer, and what else differs there', () => {
    expect(paragraph()).toBe(
      [
        'According to samples of its session, a transaction takes 20.00 ms with one-volume and 10.00 ms with two-volumes, including the time in the client.',
        'It waits for flush: 16.30 ms with one-volume, 6.70 ms with two-volumes, 96 % of the difference.',
        'With one-volume, a flush of WAL takes longer (4.00 against 2.00 ms).',
        'That can explain up to 10.50 ms of it.',
        'It also waits for cpu: 3.20 and 2.10 ms, 11 % of the difference.',
        'No cause is known for this time: CPU (1.10 ms).',
        'With one-volume, all other times are 0.70 ms shorter in sum.',
        'All this is observed in 6 pairs, not tested.',
      ].join(' '),
    );
  });

  it('says which settings differ that can cause the time, or that no cause is known', () => {
    const settings = [{ name: 'commit_delay', baseline: '30000', candidate: '0' }];
    const delayed = { ...mechanism, title: 'Commits wait for commit_delay', links: [], settings };
    expect(paragraph({ mechanisms: [delayed] })).toContain(
      '96 % of the difference. Commits wait for commit_delay: commit_delay is 30000 with one-volume and 0 with two-volumes. That can explain up to 10.50 ms of it.',
    );
    const place = { ...mechanism, role: 'place' as const, size: undefined };
    expect(paragraph({ mechanisms: [place] })).toContain(
      'No cause is known for this time: waits for flush (9.60 ms), and CPU (1.10 ms).',
    );
  });

  it('says how many parallel workers were busy, whose time is no part of it', () => {
    expect(paragraph({ workers: { baseline: 0, candidate: 2.63 } })).toContain(
      'On average, 0.0 parallel workers are busy with one-volume and 2.6 with two-volumes;',
    );
  });

  it('says why nothing is broken down if the sampled sessions are not those of the load', () => {
    expect(paragraph({ time: [], mechanisms: [], pairs: 0, brokenPairs: 4 })).toMatch(
      /^In 4 of the pairs, the sampled sessions are not those of the load/,
    );
  });

  it('speaks of the slower side if that is the candidate', () => {
    const turned = explanation.time.map(({ baseline, candidate, change, ...one }) => ({
      ...one,
      baseline: candidate,
      candidate: baseline,
      change: -change,
      interval: { ...interval, low: 0.0088, high: 0.0103 },
    }));
    const words = paragraph({ slower: 'two-volumes', time: turned });
    expect(words).toContain(
      '10.00 ms with one-volume and 20.00 ms with two-volumes, including the time in the client.',
    );
    expect(words).toContain('It waits for flush: 6.70 ms with one-volume, 16.30 ms with two-volumes, 96 % of');
    // The candidate is the slower side here, and its value comes first.
    expect(words).toContain('a flush of WAL takes longer (2.00 against 4.00 ms)');
  });

  it('says that it does not explain the verdict if that is against the other side', () => {
    expect(paragraph({ opposesVerdict: true })).toContain(
      'in the client. So it takes longer with one-volume, although that has the better verdict: what follows explains the time, not the verdict. It waits',
    );
  });

  it.each(mechanisms.map((known) => [known.name, known] as const))(
    'has both values of the time, and of each link of %s, the slower side first',
    (_, { name, kinds, links = [] }) => {
      const [kind = ''] = Object.keys(kinds);
      const title = timeKinds.find((known) => known.kind === kind)?.title ?? '';
      const evidenceLinks = links.map(({ metric, claim }) => ({
        ...link,
        metric,
        claim,
        baseline: 0.75,
        candidate: 0.25,
      }));
      const words = paragraph({
        time: [{ ...time(kind, [0.0163, 0.0063], 1), title }],
        mechanisms: [{ ...mechanism, name, kind, links: evidenceLinks }],
      });
      expect(words).toContain(`It ${title}: 16.30 ms with one-volume, 6.30 ms with two-volumes, the whole difference.`);
      for (const { claim } of links)
        expect(words).toMatch(new RegExp(`${claim} \\([\\d.]+ against [\\d.]+( \\S+)?\\)`));
    },
  );

  it('says plainly what sessions wait for that wait for the client', () => {
    const client = { ...time('client', [0.012, 0.004], 0.8), title: 'waits for its client' };
    const bound = { ...mechanism, kind: 'client', links: [] };
    expect(paragraph({ time: [client], mechanisms: [{ ...bound, name: 'client-bound' }] })).toContain(
      'Sessions wait then for the network, for the client, or for a processor to run it.',
    );
    expect(paragraph({ time: [client], mechanisms: [{ ...bound, name: 'driver-bound' }] })).toContain(
      'Sessions wait then for the load generator, which is at its limit.',
    );
  });

  it('prints no share above 100 %: it says more than the whole, and what is shorter in exchange', () => {
    const more = changed({
      time: [
        time('flush', [0.0163, 0.0043], 1.2),
        { ...time('client', [0.001, 0.003], -0.2), interval: { low: 0.001, high: 0.003, level: 0.96875 } },
      ],
    });
    expect(whyParagraph(more, [])).toContain('4.30 ms with two-volumes, more than the whole difference.');
    expect(whyParagraph(more, [])).toContain(
      'With two-volumes, it loses a part of that again: it waits for client (3.00 against 1.00 ms).',
    );
    expect(timeRows(more)[0]?.at(-1)).toBe('more than all');
    expect(whyInBrief(more)).toEqual({
      of: 'two-volumes at 16 clients',
      parts: [
        'waits for flush 16.30 → 4.30 ms, more than the whole difference',
        'the other way: client 1.00 → 3.00 ms',
      ],
    });
  });

  it('gives the sum of the other times if none of them is shorter beyond chance', () => {
    const words = paragraph({ time: [time('flush', [0.012, 0.001], 1.1), time('cpu', [0.001, 0.002], -0.1)] });
    expect(words).toContain('more than the whole difference');
    expect(words).toContain('With one-volume, all other times are 1.00 ms shorter in sum.');
  });

  it('says what part of the difference it does not name', () => {
    const unsure = { low: -0.01, high: 0.001, level: 0.96875 };
    const half = [time('flush', [0.012, 0.002], 0.5), { ...time('cpu', [0.011, 0.001], 0.5), interval: unsure }];
    expect(paragraph({ time: half })).toContain(
      '50 % of the difference is in other kinds of time, none of which changes by 10 % of it beyond chance.',
    );
    const none = half.map((one) => ({ ...one, interval: unsure }));
    const nothing = changed({ time: none, mechanisms: [] });
    expect(whyParagraph(nothing, [])).toContain(
      'No kind of time grows, beyond chance, by at least 10 % of the difference.',
    );
    expect(whyInBrief(nothing).parts).toEqual([]);
  });

  it('says how many pairs it is from, and how many are unknown', () => {
    expect(paragraph({ unknownPairs: 2 })).toContain('observed in 6 pairs (2 more unknown), not tested');
  });

  it('divides nothing where the slower side does not take longer, or nothing was sampled', () => {
    const unknown = explanation.time.map((one) => ({ ...one, share: null }));
    const undecided = paragraph({ time: unknown, mechanisms: [] });
    expect(undecided).toContain('That difference is not beyond chance (6 pairs)');
    expect(undecided).not.toContain('observed');
    const unsampled = changed({ time: [], mechanisms: [] });
    expect(whyParagraph(unsampled, [])).toContain('were not sampled');
    expect([whyInBrief(unsampled).parts, timeRows(unsampled)]).toEqual([[], []]);
  });

  it('prints, for whatever times, no percentage above 100 and the larger value of what is lost first', () => {
    const value = fc.double({ min: 0, max: 0.1, noNaN: true });
    const kinds = ['walFlush', 'cpu', 'client', 'locks'];
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value, fc.boolean()), { minLength: 4, maxLength: 4 }), (values) => {
        const change = values.reduce((sum, [one, other]) => sum + other - one, 0);
        fc.pre(Math.abs(change) > 1e-4);
        const drawn = values.map(([one, other, isSure], index) => ({
          ...time(kinds[index] ?? '', [one, other], (other - one) / change),
          interval: isSure
            ? { low: other - one, high: other - one, level: 0.95 }
            : { low: -0.1, high: 0.1, level: 0.95 },
        }));
        const slower = change > 0 ? 'two-volumes' : 'one-volume';
        const drawnTimes = changed({ slower, time: drawn, mechanisms: [] });
        const shares = timeRows(drawnTimes).map((row) => row.at(-1) ?? '');
        const all = [whyParagraph(drawnTimes, []), ...whyInBrief(drawnTimes).parts, ...shares].join(' ');
        for (const [, percent = ''] of all.matchAll(/(\d[\d,.]*) %/g)) expect(Number(percent)).toBeLessThanOrEqual(100);
        for (const [, slow = '', fast = ''] of whyParagraph(drawnTimes, []).matchAll(
          /waits ([\d.]+) instead of ([\d.]+)/g,
        )) {
          expect(Number(slow)).toBeGreaterThanOrEqual(Number(fast));
        }
      }),
    );
  });
});

describe('the tables on where the time goes', () => {
  it('have rows that add up as they are printed, each with the change of its two values', () => {
    const rows = cells(explanation);
    for (const [before = NaN, after = NaN, change = NaN] of rows) expect(after - before).toBeCloseTo(change, 6);
    for (const column of [0, 1, 2]) {
      const sum = rows.slice(0, -1).reduce((all, row) => all + (row[column] ?? NaN), 0);
      expect(sum).toBeCloseTo(rows.at(-1)?.[column] ?? NaN, 6);
    }
    expect(timeRows(explanation).map((row) => row.at(-1))).toEqual(['96 %', '11 %', '−7 %', '–']);
  });

  it('are folded away, each chain with the name of its mechanism', () => {
    expect(whyTables(explanation).parts.map((part) => 'heading' in part && part.heading)).toEqual([
      'Time of a transaction',
      'Each flush takes longer: from cause to effect',
    ]);
  });

  it('print no word of support, and nothing that moves with the effect', () => {
    const of = { result: { explanations: [explanation] } } as unknown as Reported;
    const blocks = [...blocksFor('terminal', whySection, of), whyTables(explanation)];
    const text = renderBlocks(blocks, { columns: 100, colour: false });
    expect(text).not.toMatch(/support|moves with|because/i);
  });
});

describe('the line on where the time goes at a run’s end', () => {
  const section = (explanations: Explanation[], columns = Infinity) => {
    const of = { result: { explanations } } as unknown as Reported;
    return renderBlocks(blocksFor('terminal', timeSection, of), { columns, colour: false }).split('\n');
  };

  it('names each kind of time with its share, in at most three lines', () => {
    const lines = section([explanation], 80);
    expect(lines.join(' ')).toBe(
      'Where the time of a transaction goes: waits for flush 16.30 → 6.70 ms, 96 % of the difference; CPU 3.20 → 2.10 ms, 11 %.',
    );
    expect(lines.length).toBeLessThanOrEqual(3);
  });

  it('has only the largest part for each of several candidates, and counts those that do not fit', () => {
    const four = ['a', 'b', 'c', 'd'].map((candidate) => ({ ...explanation, candidate, conditions: {} }));
    expect(section(four)).toEqual([
      ...['a', 'b', 'c'].map(
        (name) =>
          `Where the time of a transaction goes with ${name}: waits for flush 16.30 → 6.70 ms, 96 % of the difference.`,
      ),
      '… 1 more in report.md',
    ]);
    expect(section(four, 60).at(-1)).toBe('… 3 more in report.md');
  });
});
