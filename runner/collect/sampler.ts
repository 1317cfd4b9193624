import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../postgres/client.ts';
import type { SeriesRow } from '../contract/metric.ts';
import { secondOf } from './collector.ts';
import { connect } from '../postgres/connect.ts';
import { outsideLoad, type Target } from '../postgres/target.ts';
import { disconnect } from '../postgres/unanswered.ts';

/** What was seen at one moment. */
export interface Sample<Value> {
  /** Unix time of the moment, in milliseconds. Setting the clock in between does not change it. */
  at: number;
  value: Value;
}

export interface Sampled<Value> {
  samples: Sample<Value>[];
  /** Moments at which nothing was seen, because the look before them took too long. */
  missed: number;
  /** Total time of all looks, in seconds. */
  lookSeconds: number;
  /** Why it ended before its time; null if it did not. */
  failure: Error | null;
}

/** A sampler that runs until it is stopped. */
export interface Sampler<Value> {
  /** Ends it after the look that is under way. With `last`, it looks once more. */
  stop(options?: { last?: boolean }): Promise<Sampled<Value>>;
}

/**
 * Looks at something at a steady pace, for the first time at once. A look that throws ends the sampler, which keeps the
 * failure and everything seen so far. Two looks never overlap.
 */
export function startSampler<Value>(everySeconds: number, look: () => Value | Promise<Value>): Sampler<Value> {
  const sampled: Sampled<Value> = { samples: [], missed: 0, lookSeconds: 0, failure: null };
  const ending = new AbortController();
  const clockOffset = Date.now() - performance.now();
  const started = performance.now();

  const lookOnce = async (): Promise<void> => {
    const before = performance.now();
    try {
      const value = await look();
      // The middle of the look: the exact moment at which the other side read its values is unknown.
      sampled.samples.push({ at: clockOffset + (before + performance.now()) / 2, value });
    } catch (error) {
      sampled.failure = error instanceof Error ? error : new Error(String(error));
    }
    sampled.lookSeconds += (performance.now() - before) / 1000;
  };
  const run = async (): Promise<void> => {
    for (let tick = 0; !ending.signal.aborted && !sampled.failure;) {
      await lookOnce();
      const next = Math.max(tick + 1, Math.ceil((performance.now() - started) / 1000 / everySeconds));
      sampled.missed += next - tick - 1;
      tick = next;
      const wait = Math.max(0, started + tick * everySeconds * 1000 - performance.now());
      await sleep(wait, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async stop({ last = false } = {}) {
      ending.abort();
      await running;
      if (last && !sampled.failure) await lookOnce();
      return sampled;
    },
  };
}

/** Counters at one moment, by the name of the metric that is their rate. */
export type Counters = Readonly<Record<string, number>>;

/**
 * Rates per second: measures over all samples, and series between consecutive samples. A counter that went backwards
 * was reset, and has no rate.
 *
 * @param samples in order of time
 */
export function ratesOf(
  samples: readonly Sample<Counters>[],
  startedAt: Date,
): { measures: Record<string, number>; series: SeriesRow[] } {
  const [first] = samples;
  const last = samples.at(-1);
  if (!first || !last) return { measures: {}, series: [] };
  const series = samples.slice(1).flatMap((sample, index): SeriesRow[] => {
    const before = samples[index] ?? first;
    // The last sample comes when the trial ends. A rate over so short a time could be a peak that never was.
    if (sample.at - before.at < 500) return [];
    // By the middle of the interval: a sample taken just after the end of a second describes that second.
    const second = secondOf((before.at + sample.at) / 2, startedAt);
    return Object.entries(ratesBetween(before, sample)).map(([name, value]) => ({ second, name, value }));
  });
  return { measures: ratesBetween(first, last), series };
}

function ratesBetween(before: Sample<Counters>, after: Sample<Counters>): Record<string, number> {
  const seconds = (after.at - before.at) / 1000;
  if (seconds <= 0) return {};
  return Object.fromEntries(
    Object.entries(after.value).flatMap(([name, value]) => {
      const grown = value - (before.value[name] ?? NaN);
      return grown >= 0 ? [[name, grown / seconds] as const] : [];
    }),
  );
}

/** A sampler of a server that closes its connection when it ends. */
export interface ServerSampler<Value> extends Sampler<Value> {
  /** Ends it at once, even if the server does not answer. */
  abandon(): Promise<void>;
}

/**
 * Looks at a server at a steady pace, over a connection of its own. That uses another database, so that its commits are
 * not counted as transactions of the load.
 */
export async function sampleServer<Value>(
  target: Target,
  everySeconds: number,
  look: (client: Client) => Promise<Value>,
): Promise<ServerSampler<Value>> {
  const client = await connect(outsideLoad(target), { application: 'pgduet sampler' });
  const sampler = startSampler(everySeconds, () => look(client));
  return {
    async stop(options) {
      const sampled = await sampler.stop(options);
      await disconnect(client);
      return sampled;
    },
    async abandon() {
      await disconnect(client);
      await sampler.stop();
    },
  };
}
