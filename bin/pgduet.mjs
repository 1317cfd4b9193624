#!/usr/bin/env node
import { start } from './start.mjs';

await start('bin/pgduet.ts', 'dist/compiled/pgduet.mjs');
