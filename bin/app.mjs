// The CDK app that cdk.json names.
import { start } from './start.mjs';

await start('bin/app.ts', 'dist/compiled/app.mjs');
