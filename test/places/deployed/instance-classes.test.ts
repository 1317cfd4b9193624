import path from 'node:path';
import { expect, it } from 'vitest';
import { readKeptPrices } from '../../../runner/costs/kept-prices.ts';
import { classProblem, classWarning } from '../../../runner/places/deployed/instance-classes.ts';

const project = path.resolve(import.meta.dirname, '../../..');

it.each(['db.r6g.2xlarg', 'db.r6g.2xlarges', 'r5.4xlage', 'db.m7g.larger', 'db.t3.mikro', 'db.r6g.2xl'])(
  '%s is certainly wrong: its last word is none of the sizes of AWS',
  (name) => {
    expect(classProblem(name)?.message).toContain('is not a size of AWS; expected one such as');
    expect(classWarning('a', name)).toBeUndefined();
  },
);

it('a class that may exist although it is not known is no mistake, but a warning', () => {
  for (const name of ['db.r9g.2xlarge', 'db.r6g.5xlarge', 'db.z1d.large']) {
    expect(classProblem(name)).toBeNull();
    expect(classWarning('a', name)).toMatch(new RegExp(`variants\\.a: class is ${name}, and pgduet does not know the`));
  }
});

it('every class whose price is kept is known', () => {
  const classes = ['us-east-1', 'eu-central-1']
    .flatMap((region) => readKeptPrices(path.join(project, 'prices', `${region}.json`)))
    .flatMap(({ priced }) => ('class' in priced ? [priced.class] : []));
  expect(classes.length).toBeGreaterThan(200);
  for (const name of classes) {
    expect(classProblem(name), name).toBeNull();
    if (name.startsWith('db.')) expect(classWarning('a', name), name).toBeUndefined();
  }
});
