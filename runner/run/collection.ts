import type { Connection } from '../postgres/client.ts';
import type {
  CollectedTrial,
  Collection,
  Collector,
  Findings,
  MeasuredPart,
  UseDatabase,
} from '../collect/collector.ts';
import { absent, emptyCollection, reasonOfRefusal } from '../collect/absent.ts';
import { gapsShown, readNeeded, type SettingsInForce, withoutGaps } from '../collect/needs.ts';
import type { Measures } from '../contract/metric.ts';
import { connect } from '../postgres/connect.ts';
import type { Target } from '../postgres/target.ts';
import { disconnect } from '../postgres/unanswered.ts';

/** The running sources of one trial. */
export interface Collections {
  /** Call this when the load has ended. */
  stop(part: MeasuredPart): Promise<Findings[]>;
  /** Call this when every trial of the step has ended, with what was measured so far. */
  finish(part: MeasuredPart, found: Measures): Promise<Findings[]>;
  /** Stops what is still running because the trial has failed, and drops the findings. It never throws. */
  abandon(): Promise<void>;
}

/**
 * Starts the sources in reverse order. So the first one starts last and stops first, and sees the least of the others'
 * activity. If one cannot start, those that have started are stopped.
 */
export async function startCollections(
  collectors: readonly Collector[],
  trial: CollectedTrial,
  connection: SharedConnection,
): Promise<Collections> {
  const going: { collector: Collector; collection: Collection }[] = [];
  let firstLookAt: number | null = null;
  const abandon = async (): Promise<void> => {
    // A server that hangs must not block sources that would query it when they stop.
    await connection.end();
    const none = { startedAt: trial.now(), endedAt: trial.now() };
    await Promise.allSettled(
      going.splice(0).map(async ({ collection: one }) => (one.abandon ? one.abandon() : one.stop?.(none))),
    );
  };
  let inForce: SettingsInForce = new Map();
  try {
    if (collectors.some(({ needs }) => needs !== undefined))
      inForce = await trial.database((client) => readNeeded(client, collectors));
    for (const collector of [...collectors].reverse()) {
      const collection = await start(collector, trial);
      if (!collection) continue;
      firstLookAt ??= Date.now();
      going.unshift({ collector, collection });
    }
  } catch (error) {
    await abandon();
    throw error;
  }
  const collections = [...going];
  await connection.close();
  return {
    async stop(part) {
      const found: Findings[] = [];
      let lastLookAt = Date.now();
      for (let next = going.shift(); next; next = going.shift()) {
        lastLookAt = Date.now();
        const { collector, collection } = next;
        found.push(withoutGaps(collector, await unlessRefused(collector, collection.stop?.(part)), inForce));
      }
      await connection.close();
      const window = firstLookAt === null ? null : (lastLookAt - firstLookAt) / 1000;
      return [...found, { measures: { 'collect.commits': connection.commits, 'collect.window': window } }];
    },
    async finish(part, measured) {
      const found: Findings[] = [];
      for (const { collector, collection } of collections)
        found.push(
          withoutGaps(collector, await unlessRefused(collector, collection.finish?.(part, measured)), inForce),
        );
      await connection.close();
      return [...found, ...gapsShown(collectors, measured)];
    },
    abandon,
  };
}

/** A source that a server refuses costs the trial nothing but this evidence. */
async function unlessRefused({ name }: Collector, findings: Promise<Findings> | undefined): Promise<Findings> {
  try {
    return (await findings) ?? {};
  } catch (error) {
    return absent(name, reasonOfRefusal(error));
  }
}

async function start(collector: Collector, trial: CollectedTrial): Promise<Collection | undefined> {
  try {
    return await collector.start?.(trial);
  } catch (error) {
    return emptyCollection(collector.name, reasonOfRefusal(error));
  }
}

/**
 * One connection for all collectors that need the database at the same moment. The first one opens it. `close` ends it
 * until somebody needs it again; `end` ends it for good.
 */
export class SharedConnection {
  readonly #target: Target;
  #client: Promise<Connection> | null = null;
  /** All that it has opened. */
  readonly #opened: Connection[] = [];
  #ended = false;

  constructor(target: Target) {
    this.#target = target;
  }

  readonly use: UseDatabase = async (use) => {
    if (this.#ended) throw new Error('no more queries to the database: the trial has failed');
    return use(await (this.#client ??= this.#connect()));
  };

  /** The most commits that these connections can have made. */
  get commits(): number {
    return this.#opened.reduce((sum, connection) => sum + connection.transactions(), 0);
  }

  async #connect(): Promise<Connection> {
    const client = await connect(this.#target);
    this.#opened.push(client);
    return client;
  }

  /** Ends the connection. The next use opens another one. */
  async close(): Promise<void> {
    const client = this.#client;
    this.#client = null;
    // If the connection could not be opened, its caller has already received the error.
    await client?.then(disconnect).catch(() => undefined);
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.close();
  }
}
