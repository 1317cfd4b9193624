import { runProcess } from '../runner/cli/process.ts';
import { registerTemplate } from './template-command.ts';

await runProcess([registerTemplate]);
