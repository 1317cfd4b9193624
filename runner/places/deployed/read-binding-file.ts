import path from 'node:path';
import { type Binding, readBinding } from '../../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import { readTextWhole } from '../../files/read.ts';

/** @throws {UserError} if there is no such file, or if it is not a binding */
export function readBindingFile(file: string, workingFolder: string): Binding {
  let text: string;
  try {
    text = readTextWhole(path.resolve(workingFolder, file));
  } catch (error) {
    throw new UserError(`--binding: ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return readBinding(text, file);
}
