import type { AwsSources, ObservedInstance } from '../../aws/sources.ts';
import type { Trial } from '../../contract/trial.ts';
import { absent } from '../absent.ts';
import { askInTime } from '../ask-in-time.ts';
import { notTold, unanswered } from '../ask-of-each.ts';
import type { Collector, Findings, LaterContext } from '../collector.ts';
import { wholeMinutes, windowOf } from '../trial-window.ts';
import type { Points } from './fetch-points.ts';
import { findingsOf, isComplete, type Observed } from './findings.ts';
import { bytesPerWrite, published } from './metrics.ts';

const name = 'cloudwatch';
const minute = 60_000;

/** A trial with the instances of its server. */
interface Asked {
  trial: Trial;
  instances: readonly ObservedInstance[];
  minutes: number[];
}

/**
 * What CloudWatch tells of the instances of RDS, minute by minute. Only minutes that lie wholly in a trial count: in the
 * others, the server was at rest for a part.
 */
export const cloudWatch: Collector = {
  name,
  optional: true,
  metrics: [
    ...published.map(({ metric }) => metric),
    ...bytesPerWrite.map(({ metric }) => metric),
    ...published.flatMap(({ ofReader }) => ofReader ?? []),
  ],
  async later(trials, context) {
    const { aws } = context;
    const wanted = notTold(name, trials);
    if (!aws || wanted.length === 0) return new Map();
    try {
      return await observe(wanted, aws, context);
    } catch (error) {
      const findings = unanswered(name, error);
      return new Map(wanted.map(({ id }) => [id, findings]));
    }
  },
};

async function observe(
  wanted: readonly Trial[],
  aws: AwsSources,
  context: LaterContext,
): Promise<ReadonlyMap<string, Findings>> {
  const found = new Map<string, Findings>();
  const asked: Asked[] = [];
  for (const trial of wanted) {
    const [instances, minutes] = [await aws.instancesOf(trial), wholeMinutes(windowOf(trial))];
    if (instances.length === 0) found.set(trial.id, absent(name, 'RDS does not know the database any more'));
    else if (minutes.length === 0) found.set(trial.id, absent(name, 'no minute of the clock lies wholly in the trial'));
    else asked.push({ trial, instances, minutes });
  }
  if (asked.length === 0) return found;
  // Loaded only here: who loads an experiment needs no client of AWS.
  const { fetchPoints } = await import('./fetch-points.ts');
  const identifiers = [...new Set(asked.flatMap(({ instances }) => instances.map(({ identifier }) => identifier)))];
  const all = asked.flatMap(({ minutes }) => minutes);
  const points = await askInTime(
    () =>
      fetchPoints(
        aws.cloudWatch,
        identifiers,
        published.map((one) => one.name),
        // Starts are not always in order, and there may be too many for Math.min.
        all.reduce((window, at) => ({ from: Math.min(window.from, at), to: Math.max(window.to, at + minute) }), {
          from: Infinity,
          to: 0,
        }),
      ),
    (answer) =>
      asked.every(({ instances, minutes }) =>
        observedIn(answer, instances).every((observed) => isComplete(observed, minutes)),
      ),
    asked.map(({ trial }) => trial),
    context,
  );
  for (const { trial, instances, minutes } of asked) {
    const findings = findingsOf(observedIn(points, instances), minutes, new Date(trial.startedAt));
    const nothing = (findings.series ?? []).length === 0;
    found.set(trial.id, nothing ? absent(name, 'CloudWatch has no points of the trial') : findings);
  }
  return found;
}

function observedIn(points: ReadonlyMap<string, Points>, instances: readonly ObservedInstance[]): Observed[] {
  return instances.map((instance) => ({
    instance,
    points: points.get(instance.identifier) ?? new Map<string, never>(),
  }));
}
