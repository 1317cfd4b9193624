import { type Measures, memberName, partOf, scriptMetric, scriptTime } from '../contract/metric.ts';

/**
 * How far other programs can have moved the mean time of one script, on the log scale: a quiet machine may show a time that
 * is shorter by `slowed`, or longer by `eased`. Infinite without a bound.
 */
export interface MovedTime {
  slowed: number;
  eased: number;
}

const unbounded: MovedTime = { slowed: Infinity, eased: Infinity };

/**
 * The bound for one script, from that for the run. Clients that are always busy share their time among the scripts. If the
 * run lost the part L of its throughput, its transactions need only the part 1 - L of that time on a quiet machine. What is
 * gone may all be of one script: the part f of the time that the script had shrinks to f - L at the worst. Or all of it may be
 * of the other scripts, whose clients then stood less in the way of this one: its part grows to f + L at the worst.
 *
 * @param metric name
 * @param moved logs of how many times as much the run may do on a quiet machine, and of how many times as little
 * @returns no bound for any other metric, nor where clients wait for a schedule
 */
export function movedTime(measures: Measures, metric: string, moved: { loss: number; gain: number }): MovedTime {
  const script = partOf(scriptTime, metric);
  const part = script === null ? null : partOfTime(measures, script);
  if (part === null) return unbounded;
  const lost = -Math.expm1(-moved.loss);
  return {
    slowed: lost < part ? -Math.log1p(-lost / part) : Infinity,
    eased: Math.log1p((lost + Math.expm1(moved.gain)) / part),
  };
}

/** The part of the clients' time that transactions of the script took; null if unknown, or zero. */
function partOfTime(measures: Measures, script: string): number | null {
  const { tps = null, 'client.turn': turn = null } = measures;
  const [own = null, time = null] = [scriptMetric('tps', script), memberName(scriptTime, script)].map(
    (name) => measures[name],
  );
  if (tps === null || turn === null || own === null || time === null) return null;
  const part = (own * time) / (tps * turn);
  return part > 0 ? Math.min(1, part) : null;
}
