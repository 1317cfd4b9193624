import { InvalidArgumentError, Option } from 'commander';

/** Options that several commands share. */
export function profileOption(): Option {
  return new Option('-p, --profile <name>', 'profile of the experiment file, or several: control,smoke');
}

/** Given once for each version. */
export function bindirOption(): Option {
  return new Option(
    '--pg-bindir <folder>',
    'folder with initdb, postgres and pgbench; repeat it for several versions',
  ).argParser((folder: string, before: string[] | undefined) => [...(before ?? []), folder]);
}

export function unverifiedOption(): Option {
  return new Option(
    '--unverified',
    'show files that differ from SHA256SUMS: marked, and without verdicts (see verify --help)',
  );
}

export function seedOption(): Option {
  return new Option('--seed <number>', 'seed for the order of the trials (default: a new one)').argParser((text) => {
    const seed = Number(text);
    if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff) {
      throw new InvalidArgumentError('expected a whole number from 0 to 4294967295');
    }
    return seed;
  });
}
