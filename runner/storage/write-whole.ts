import writeFileAtomic from 'write-file-atomic';
import { nameFile } from '../contract/errors.ts';

/**
 * Writes a file completely or not at all.
 *
 * @throws the system's error, with the file's name
 */
export async function writeWhole(file: string, data: string | Buffer): Promise<void> {
  try {
    await writeFileAtomic(file, data);
  } catch (error) {
    throw nameFile(error, file);
  }
}
