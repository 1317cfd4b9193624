import { runProcess } from '../runner/cli/process.ts';
import { templateVerb } from './template-command.ts';

await runProcess([templateVerb]);
