import { runProcess } from '../runner/cli/process.ts';

/** The command line on a driver, which makes no templates. */
await runProcess();
