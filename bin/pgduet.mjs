#!/usr/bin/env node
// This runs the sources: an edit takes effect at the next start.
import { compile } from './compile.mjs';

await import(await compile('runner/cli/process.ts', 'taken in'));
