import type { Experiment } from '../contract/experiment/schema.ts';
import type { Result } from '../contract/result.ts';
import type { Speed } from '../places/definition.ts';
import { placeNamed, placeOf } from '../places/registry.ts';
import type { Speeds } from '../experiment/plan/speeds.ts';
import { median } from '../statistics/quantiles.ts';
import { toolOf } from '../workloads/registry.ts';

/** Reset steps whose length depends on the number of rows, and the speed that follows from their length. */
const speedsOfReset = { vacuum: 'vacuumedRows', restore: 'copiedRows' } as const;

/**
 * How fast things were in a pilot, as far as it was measured there. Speeds of another place say nothing: a disk of this
 * machine is no volume of AWS. How long a stack takes to deploy, a run does not see.
 */
export function speedsOfPilot(pilot: Result, experiment: Experiment): Partial<Speeds> {
  const place = placeNamed(pilot.place.kind);
  if (place !== placeOf(experiment)) return {};
  const { definition } = pilot.experiment;
  const { rows } = toolOf(definition.workload).durations(definition.workload);
  const loads = pilot.steps.flatMap(({ loads: tries }) => (tries ?? []).filter(({ outcome }) => outcome === 'loaded'));
  const touched = pilot.steps.flatMap((step) => step.touched ?? []);
  const create = pilot.steps.filter(({ step }) => place.isMadeByRun && step === 'create').map(secondsOf);
  const switched = pilot.steps.filter(({ switches = [] }) => switches.length > 0).map(secondsOf);
  return {
    ...speed('createSeconds', median(create)),
    ...(rows === null ? {} : speed('loadedRows', median(loads.map((load) => rows / secondsOf(load))))),
    ...speed('touchedBytes', median(touched.map(({ bytes, seconds }) => bytes / Math.max(seconds, 1)))),
    ...speed('crossOverSeconds', median(switched)),
    ...(rows === null ? {} : resetSpeed(pilot, rows)),
  };
}

/** Told only if a single step of the pilot's reset depends on the rows: the trials know the length of all steps together. */
function resetSpeed({ experiment: { definition }, trials }: Result, rows: number): Partial<Speeds> {
  const { reset } = definition.protocol;
  const slow = (['vacuum', 'restore'] as const).filter((step) => reset.includes(step));
  const [only, ...others] = slow;
  if (!only || others.length > 0) return {};
  const seconds = median(trials.flatMap(({ resetSeconds }) => resetSeconds ?? []));
  return speed(speedsOfReset[only], seconds === null ? null : rows / Math.max(seconds, 0.1));
}

function speed(name: keyof Speeds, value: number | null): Partial<Record<keyof Speeds, Speed>> {
  return value === null ? {} : { [name]: { value, source: 'measured in the pilot' } };
}

/** At least a second, as short steps of small pilots are not measured more exactly. */
function secondsOf({ startedAt, endedAt }: { startedAt: string; endedAt: string }): number {
  return Math.max(1, (Date.parse(endedAt) - Date.parse(startedAt)) / 1000);
}
