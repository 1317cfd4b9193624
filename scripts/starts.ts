import { UserError } from '../runner/contract/errors.ts';
import { keepStarts } from './starts/keep-starts.ts';

/** `npm run starts -- EXPERIMENT RESULT...` */
try {
  await keepStarts(process.argv.slice(2), 'docs/reference');
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
