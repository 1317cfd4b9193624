import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Binding, readBinding } from '../../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';

/** @throws {UserError} if there is no such file, or if it is not a binding */
export function readBindingFile(file: string, workingFolder: string): Binding {
  let text: string;
  try {
    text = readFileSync(path.resolve(workingFolder, file), 'utf8');
  } catch (error) {
    throw new UserError(`--binding: ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return readBinding(text, file);
}
