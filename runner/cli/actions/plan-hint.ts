import { ownCommand } from '../../contract/own-command.ts';
import { shellWord } from '../../report/sections/repeat.ts';
import { defaultOut } from '../options.ts';
import type { PlanOptions } from './plan.ts';

/** Options of a run that its plan has, too. */
type PlannedBy = Pick<
  PlanOptions,
  'local' | 'profile' | 'seed' | 'servers' | 'volumes' | 'pgBindir' | 'filesIn' | 'out' | 'region'
>;

/** The command that shows every step of a run and its time; empty on a driver, where nobody types. */
export function planHint(name: string | undefined, options: PlannedBy): string {
  const { local, profile, seed, servers, volumes, pgBindir = [], filesIn = [], out, region } = options;
  const asked = {
    profile,
    seed,
    servers: servers?.join(','),
    volumes,
    region,
    ...(out !== defaultOut && { out }),
  };
  const words = [
    ...(local ? ['--local'] : []),
    ...Object.entries(asked).flatMap(([option, value]) =>
      value === undefined ? [] : [`--${option} ${shellWord(String(value))}`],
    ),
    ...pgBindir.map((folder) => `--pg-bindir ${shellWord(folder)}`),
    ...filesIn.map((folder) => `--files-in ${shellWord(folder)}`),
  ];
  return name === undefined
    ? ''
    : `Every step and its time: ${[`${ownCommand} plan ${shellWord(name)}`, ...words].join(' ')}`;
}
