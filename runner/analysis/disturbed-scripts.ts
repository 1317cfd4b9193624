import { type Measures, memberName, partOf, scriptMetric, scriptTime } from '../contract/metric.ts';

/**
 * How far other programs can have moved the mean time of one script, on the log scale: without them, it may be shorter by
 * `slowed`, or longer by `eased`. Infinite without a bound.
 */
export interface MovedTime {
  slowed: number;
  eased: number;
}

/**
 * The bound for one script, from that for the run. Clients that are always busy share their time among the scripts. If the
 * run lost the part L of its throughput, its transactions need only the part 1 - L of that time without the others. What is
 * gone may all be of one script: the part f of the time that the script had shrinks to f - L at the worst. Or all of it may be
 * of the other scripts, whose clients then stood less in the way of this one: its part grows to f + L at the worst.
 *
 * @param part f; null if it is not known
 * @param lost logs of how many times as much the run may do without the others, and of how many times as little
 */
export function movedTime(part: number | null, { loss, gain }: { loss: number; gain: number }): MovedTime {
  if (part === null) return { slowed: Infinity, eased: Infinity };
  const lost = -Math.expm1(-loss);
  return {
    slowed: lost < part ? -Math.log1p(-lost / part) : Infinity,
    eased: Math.log1p((lost + Math.expm1(gain)) / part),
  };
}

/**
 * The part of the clients' time that transactions of a script took.
 *
 * @param metric name of the mean time of the script
 * @returns null for any other metric, where clients wait for a schedule, and if the part is not known, or zero
 */
export function partOfTime(measures: Measures, metric: string): number | null {
  const script = partOf(scriptTime, metric);
  if (script === null) return null;
  const { tps = null, 'client.turn': turn = null } = measures;
  const [own = null, time = null] = [scriptMetric('tps', script), memberName(scriptTime, script)].map(
    (name) => measures[name],
  );
  if (tps === null || turn === null || own === null || time === null) return null;
  const part = (own * time) / (tps * turn);
  return part > 0 ? Math.min(1, part) : null;
}
