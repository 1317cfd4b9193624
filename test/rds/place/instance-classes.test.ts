import path from 'node:path';
import { expect, it } from 'vitest';
import { readKeptPrices } from '../../../runner/rds/prices/kept-prices.ts';
import { capacityOf } from '../../../runner/rds/place/class-capacity.ts';
import { classProblem, classWarnings } from '../../../runner/rds/place/instance-classes.ts';

const project = path.resolve(import.meta.dirname, '../../..');

it.each(['db.r6g.2xlarg', 'db.r6g.2xlarges', 'r5.4xlage', 'db.m7g.larger', 'db.t3.mikro', 'db.r6g.2xl'])(
  '%s is certainly wrong: its last word is none of the sizes of AWS',
  (name) => {
    expect(classProblem(name)?.message).toContain('is not a size of AWS; expected one such as');
    expect(classWarnings('a', name)).toEqual([]);
  },
);

it('a class that may exist although it is not known is no mistake, but a warning of what was not checked', () => {
  for (const name of ['db.r9g.2xlarge', 'db.r6g.5xlarge', 'db.z1d.large', 'db.x2g.large']) {
    expect(classProblem(name)).toBeNull();
    expect(capacityOf(name)).toBeNull();
    expect(classWarnings('a', name)).toEqual([
      expect.stringMatching(
        new RegExp(
          `variants\\.a: class is ${name}, .*shared_buffers, max_connections and storage were not checked.*pgduet doctor`,
        ),
      ),
    ]);
  }
});

it('what every class can carry is known if its price is kept', () => {
  const classes = ['us-east-1', 'eu-central-1']
    .flatMap((region) => readKeptPrices(path.join(project, 'prices', `${region}.json`)))
    .flatMap(({ priced }) => ('class' in priced ? [priced.class] : []));
  expect(classes.length).toBeGreaterThan(200);
  for (const name of classes) {
    expect(classProblem(name), name).toBeNull();
    if (name.startsWith('db.')) expect(capacityOf(name), name).not.toBeNull();
  }
});
