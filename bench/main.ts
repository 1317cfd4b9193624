import { benchDigest } from './digest.ts';

/** `npm run bench -- NAME`: measurements of pgduet itself. */
const benches: Record<string, () => Promise<void> | void> = {
  digest: benchDigest,
};

const [name = ''] = process.argv.slice(2);
const bench = benches[name];
if (bench) await bench();
else {
  process.stderr.write(`There is no bench "${name}"; there are: ${Object.keys(benches).join(', ')}.\n`);
  process.exitCode = 2;
}
