// Preloaded into a command whose words are compared with those of another start of it: every disk has 64 GiB free, whatever
// others on this machine do at the moment.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const room = { bsize: 4096, bavail: 2 ** 24 };
const { statfsSync } = fs;
const steady = (/** @type {fs.PathLike} */ path) => ({ ...statfsSync(path), ...room });
fs.statfsSync = /** @type {typeof statfsSync} */ (steady);
syncBuiltinESMExports();
