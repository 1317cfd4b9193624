import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

it('no command that is printed can run a program that somebody else registered', () => {
  const printing = ['runner', 'lib'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)),
  );
  const found = printing.filter((file) => file.endsWith('.ts') && /npx pgduet/.test(readFileSync(file, 'utf8')));
  expect(found).toEqual([]);
});
