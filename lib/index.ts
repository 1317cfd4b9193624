/** What a CDK app of one's own imports: `import { Experiment } from 'pgduet'`. */
export {
  Experiment,
  type ExperimentOptions,
  type ExperimentProps,
  ExperimentStack,
  type ExperimentStackProps,
} from './experiment.ts';
export { ResultsStack, type ResultsStackProps } from './results-stack.ts';
