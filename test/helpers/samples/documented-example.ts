import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const project = path.resolve(import.meta.dirname, '../../..');

/** The files of the section "Your own data" in docs/workloads.md, by their names, which stand above them. */
export function documentedExample(): Record<string, string> {
  const text = readFileSync(path.join(project, 'docs/workloads.md'), 'utf8');
  const section = text.slice(text.indexOf('\n## Your own data\n'));
  const blocks = section.matchAll(/^`([\w.-]+)`[^\n]*:\n\n```(?:yaml|sql)\n([\s\S]*?)^```$/gm);
  return Object.fromEntries([...blocks].map(([, name = '', content = '']) => [name, content]));
}

/** Writes that example into FOLDER/experiments. */
export function writeDocumentedExample(folder: string): void {
  mkdirSync(path.join(folder, 'experiments'), { recursive: true });
  for (const [name, content] of Object.entries(documentedExample())) {
    writeFileSync(path.join(folder, 'experiments', name), content);
  }
}
