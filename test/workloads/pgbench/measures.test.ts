import { expect, it } from 'vitest';
import { measuresOfRun } from '../../../runner/workloads/pgbench/measures.ts';
import { runsIn } from '../../../runner/workloads/pgbench/output/parse-output.ts';
import { capturedOutput } from '../../helpers/samples/captured-output.ts';

const printed = (name: string, line: RegExp): number => Number(line.exec(capturedOutput(name).stdout)?.[1]);

function measured(name: string, scripts?: readonly string[]) {
  const [run] = runsIn(capturedOutput(name).stdout);
  if (!run) throw new Error(name);
  return measuresOfRun(run, { closedLoop: true, ...(scripts && { scripts }) }).measures;
}

it.each(['14.1', '15.18', '17.10'])('counts what was skipped or failed as late, in the output of %s', (version) => {
  const name = `${version}/rate-limit`;
  const of = (line: RegExp): number => printed(name, line) || 0;
  const [done, late] = [of(/actually processed: (\d+)/), of(/latency limit: (\d+)/)];
  const lost = of(/transactions skipped: (\d+)/) + of(/failed transactions: (\d+)/);
  expect(late + lost).toBeGreaterThan(0);
  expect(measured(name)).toMatchObject({
    'transactions.late': late,
    'latency.withinLimit': (done - late) / (done + lost),
    'lag.average': printed(name, /lag: avg (\S+)/) / 1000,
  });
  expect(measured('15.18/plain')).not.toHaveProperty(['latency.withinLimit']);
});

it('has the time to connect, and what is left of a turn is without it', () => {
  const measures = measured('15.18/reconnect');
  expect(measures['latency.connection']).toBe(printed('15.18/reconnect', /average connection time = (\S+)/) / 1000);
  expect(measured('15.18/plain')['load.connecting']).toBe(
    printed('15.18/plain', /initial connection time = (\S+)/) / 1000,
  );
});

it('names what is known of each script, and nothing where there is only one', () => {
  const named = measured('15.18/weights', ['order', 'find']);
  const { stdout } = capturedOutput('15.18/weights');
  const [first, second] = [...stdout.matchAll(/ - (\d+) transactions \(.*tps = (\S+)\)/g)];
  expect(named).toMatchObject({
    'transactions@order': Number(first?.[1]),
    'tps@order': Number(first?.[2]),
    'transactions@find': Number(second?.[1]),
    'tps@find': Number(second?.[2]),
  });
  for (const version of ['15.18', '18.6']) {
    const name = `${version}/failures-scripts`;
    const failed = [...capturedOutput(name).stdout.matchAll(/ - number of failed transactions: (\d+)/g)];
    expect(measured(name, ['conflict', 'find'])).toMatchObject({
      'transactions.failed@conflict': Number(failed[0]?.[1]),
      'transactions.failed@find': 0,
    });
    expect(Number(failed[0]?.[1])).toBeGreaterThan(0);
  }
  expect(Object.keys(measured('15.18/plain')).filter((name) => name.includes('@'))).toEqual([]);
});
