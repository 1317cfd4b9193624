#!/usr/bin/env node
// The sources are what runs: an edit has its effect at the next start.
import { compile } from './compile.mjs';

await import(await compile('runner/cli/process.ts', 'taken in'));
