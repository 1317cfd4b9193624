import path from 'node:path';
import { exists } from '../../files/look.ts';
import type { Found } from '../probe.ts';

/** Programs that a deploy does not need, and the purpose of each. */
const programs = {
  aws: 'the AWS command line copies results: https://aws.amazon.com/cli/',
  'session-manager-plugin':
    '`aws ssm start-session` needs it for a shell on the driver: https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-working-with-install-plugin.html',
};

/** Looks for programs that are useful after a deploy. The deploy itself does not need them. */
export function findDeployingPrograms(environment: Readonly<Record<string, string | undefined>>): Found<true> {
  const folders = (environment['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const isThere = (name: string): boolean =>
    folders.some((folder) => [name, `${name}.exe`].some((file) => exists(path.join(folder, file))));
  const missing = Object.entries(programs).filter(([name]) => !isThere(name));
  const there = Object.keys(programs).filter((name) => missing.every(([other]) => other !== name));
  return {
    detail: there.join(', ') || 'none',
    value: true,
    notes: missing.map(([name, what]) => `${name} is not on the PATH: ${what}`),
  };
}
