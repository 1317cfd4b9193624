// Preloaded into a command whose words are compared with those of another start of it: every disk has 64 GiB free, whatever
// others on this machine do at the moment.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const bsize = 4096;
const { statfsSync } = fs;
// @ts-expect-error: nobody asks for numbers of type bigint.
fs.statfsSync = (...args) => ({ ...statfsSync(...args), bsize, bavail: 2 ** 36 / bsize });
syncBuiltinESMExports();
