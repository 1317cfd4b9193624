import { problemOf } from '../runner/contract/errors.ts';
import { loadCdk } from './load-cdk.ts';

try {
  const { makeStack } = await loadCdk(() => import('./make-stack.ts'));
  await makeStack();
} catch (error) {
  const problem = problemOf(error);
  if (!problem) throw error;
  process.stderr.write(`${problem.message}\n`);
  process.exit(2);
}
