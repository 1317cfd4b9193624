/** Makes a volume in the folder that argv names, prints a line, and waits until it is killed. */
import { limitedVolumes } from '../../../runner/places/local/volumes/limited-volumes.ts';

const volumes = limitedVolumes(process.argv[2] ?? '');
await volumes.create({ name: 'a-data', sizeGib: 0.25, iops: 200 }, new AbortController().signal);
console.log('made');
setInterval(() => undefined, 1000);
