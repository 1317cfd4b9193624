/** Makes a volume in the folder that argv names, prints a line, measures it over and over if asked to, and waits until it is killed. */
import { limitedVolumes } from '../../../runner/places/local/volumes/limited-volumes.ts';

const [, , folder = '', measured] = process.argv;
const { signal } = new AbortController();
const volume = await limitedVolumes(folder).create({ name: 'a-data', sizeGib: 0.25, iops: 200 }, signal);
console.log('made');
setInterval(() => undefined, 1000);
while (measured !== undefined) await volume.verify(signal);
