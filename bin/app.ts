import { UserError } from '../runner/contract/errors.ts';
import { loadCdk } from './load-cdk.ts';

try {
  const { makeStack } = await loadCdk(() => import('./make-stack.ts'));
  await makeStack();
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(2);
}
