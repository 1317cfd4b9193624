import type { RuleProblem } from '../../contract/check.ts';
import { ownCommand } from '../../contract/own-command.ts';

/** Families of classes that RDS offers for PostgreSQL, as of November 2026. A newer one is only not known yet. */
const families = [
  ...['c6gd', 'm4', 'm5', 'm5d', 'm6g', 'm6gd', 'm6i', 'm6id', 'm6idn', 'm6in', 'm7g', 'm7i', 'm8g', 'm8gd'],
  ...['r4', 'r5', 'r5b', 'r5d', 'r6g', 'r6gd', 'r6i', 'r6id', 'r6idn', 'r6in', 'r7g', 'r7i', 'r8g', 'r8gd'],
  ...['t2', 't3', 't4g', 'x2g', 'x2idn', 'x2iedn'],
];

/** Multiples of xlarge that AWS has for any class. */
const multiples = [2, 3, 4, 6, 8, 9, 10, 12, 16, 18, 24, 32, 48, 56, 96, 112];
const sizes = [
  ...['nano', 'micro', 'small', 'medium', 'large', 'xlarge'],
  ...multiples.map((count) => `${count}xlarge`),
  ...['metal', ...multiples.map((count) => `metal-${count}xl`)],
];

/**
 * What is certainly wrong with the class of a database, or with a type of EC2 instance: its last word is none of AWS's
 * sizes. Only AWS knows every family, and which sizes of it there are.
 */
export function classProblem(name: string): Pick<RuleProblem, 'message' | 'allowed'> | null {
  const size = name.slice(name.lastIndexOf('.') + 1);
  // AWS may bring larger ones.
  if (sizes.includes(size) || /^\d+xlarge$/.test(size)) return null;
  const stem = name.slice(0, -size.length);
  return {
    message: `"${size}" is not a size of AWS; expected one such as ${stem}large or ${stem}2xlarge`,
    allowed: sizes.map((one) => `${stem}${one}`),
  };
}

/** A warning about a class whose capacity is not known; none if the class is certainly wrong. */
export function classWarnings(variant: string, name: string): string[] {
  if (classProblem(name)) return [];
  const [, family = '', size = ''] = name.split('.');
  const isUnknown = !families.includes(family) || !sizes.includes(size);
  return [
    `variants.${variant}: class is ${name}, whose memory and EBS limits pgduet does not know, so shared_buffers, max_connections and storage were not checked against it. ${isUnknown ? 'Check that RDS offers it' : 'doctor asks EC2'}: ${ownCommand} doctor EXPERIMENT`,
  ];
}
