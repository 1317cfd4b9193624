import { afterAll } from 'vitest';
import { removeAppFolders } from './synthesize.ts';

/** Setup of every file of tests of stacks. */
afterAll(removeAppFolders);
