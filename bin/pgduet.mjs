#!/usr/bin/env node
// The sources run as they are: there is no build step between an edit and its effect.
import { register } from 'tsx/esm/api';

register();
await import('../runner/cli/process.ts');
