import path from 'node:path';
import { expect, test } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { requireDeployable } from '../../runner/rds/prices/limits.ts';
import { experimentNames } from '../../runner/experiment/file/find.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { maxClients } from '../../runner/experiment/plan/design.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import { configurationText } from '../../runner/places/local/cluster-files.ts';
import { startProblems, walSegmentMegabytes } from '../../runner/places/local/parameters.ts';
import { requireMemory } from '../../runner/places/local/room.ts';
import { localVolumes } from '../../runner/places/local/schema.ts';
import { placeHere, placeOf } from '../../runner/places/registry.ts';
import { parameterProblem } from '../../runner/postgres/parameters/judge.ts';
import { knownMajors } from '../../runner/postgres/versions/known.ts';
import { renderPlan } from '../../runner/report/terminal/plan-text.ts';

const project = path.resolve(import.meta.dirname, '../..');

/** The whole file, each profile, and each profile after each other one. */
const combinations = experimentNames(project).flatMap((name) => {
  const { profiles } = loadExperiment(name, { folder: project });
  const others = profiles.filter((one) => one !== 'full');
  const pairs = others.flatMap((first) => others.flatMap((second) => (first === second ? [] : [`${first},${second}`])));
  return [...profiles, ...pairs].map((profile) => ({ name, profile }));
});

type Loaded = ReturnType<typeof loadExperiment> | UserError;
const known = new Map<string, Loaded>();

/** Each combination is loaded once for all tests. */
function loaded(name: string, profile: string): Loaded {
  const key = `${name} ${profile}`;
  const found = known.get(key) ?? load(name, profile);
  known.set(key, found);
  return found;
}

function load(name: string, profile: string): Loaded {
  try {
    return loadExperiment(name, { folder: project, profile, seed: 1 });
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

test('a profile for the size and one for the place can be combined, whichever comes first', () => {
  const sizesHere = combinations.filter(({ profile }) => ['local,smoke', 'smoke,local'].includes(profile));
  expect(sizesHere.length).toBeGreaterThanOrEqual(12);
  for (const { name, profile } of sizesHere)
    expect(loaded(name, profile), `${name} ${profile}`).not.toBeInstanceOf(UserError);
});

test('no combination is refused because a profile was written for another tool', () => {
  const refusals = combinations.flatMap(({ name, profile }) => {
    const answered = loaded(name, profile);
    return answered instanceof UserError ? [answered.message] : [];
  });
  expect(refusals.filter((message) => message.includes('but the tool here is'))).toEqual([]);
});

test('most combinations of shipped experiments and their profiles can be planned', () => {
  const planned = combinations.filter(({ name, profile }) => !(loaded(name, profile) instanceof UserError));
  expect(combinations.length).toBeGreaterThan(100);
  expect(planned.length).toBeGreaterThan(0.8 * combinations.length);
});

test.each(combinations)('$name with $profile is refused by the plan with its place, or begins', ({ name, profile }) => {
  const answered = loaded(name, profile);
  if (answered instanceof UserError) {
    expect(answered.message).toMatch(new RegExp(`${name}\\.yaml:\\d+:\\d+ `));
    return;
  }
  const { experiment, warnings } = answered;
  expect(renderPlan(makePlan(experiment, profile, warnings), null, { columns: 100 })).toContain(name);
  if (placeOf(experiment).isDeployed) {
    // As the plan and a deploy do; either may find a limit exceeded.
    try {
      expect(Object.keys(requireDeployable(experiment, profile, 'us-east-1').deployed.variants)).toEqual(
        Object.keys(experiment.variants),
      );
    } catch (error) {
      expect(error).toBeInstanceOf(UserError);
      expect((error as UserError).message).toMatch(/^Rejected: (limits|expiry)\./);
    }
    return;
  }
  // What a local start demands of an experiment, beside what a machine has installed.
  expect(placeHere(experiment).place.isDeployed).toBe(false);
  expect(() => requireMemory(experiment, 8 * 2 ** 30)).not.toThrow();
  for (const variant of Object.values(experiment.variants)) {
    const { parameters, version } = variant.engine;
    expect(startProblems(variant, localVolumes(variant).standbys?.count ?? 0)).toEqual([]);
    expect(Number(parameters['max_connections'] ?? 200)).toBeGreaterThan(maxClients(experiment));
    for (const [parameter, value] of Object.entries(parameters)) {
      if (parameter === 'wal_segment_size') expect(walSegmentMegabytes(value)).not.toBeNull();
      else {
        // With whatever server is found.
        const majors = version === undefined ? knownMajors.map((known) => known.major) : [Number.parseInt(version, 10)];
        for (const major of majors) expect(parameterProblem(parameter, value, major), parameter).toBeNull();
      }
    }
    expect(configurationText({ parameters, port: 5432, folder: '/tmp', major: 15 })).toContain('max_connections');
  }
});
