import * as z from 'zod';

/** Folders of its own would let two variants share files. The other three make configure do something else. */
const refusedOptions = '(prefix|exec-prefix|srcdir|cache-file|help|version|no-create|[a-z]+dir)(=|$)';

const configureOption = new RegExp(`^(--(?!${refusedOptions})[a-z][a-z0-9-]*(=.*)?|[A-Z][A-Z0-9_]*=.*)$`);

/** Code that is built. That it is either in a repository or in a folder is a rule (experiment/rules/source-rules.ts). */
const codeShape = {
  git: z
    .string()
    .regex(/^(?!-)\S.*$/, 'a folder or an address of a git repository')
    .optional()
    .describe(
      'A git repository: its address, or a folder, relative to the experiment file. It excludes uncommitted changes; for these, use path.',
    ),
  commit: z
    .string()
    .regex(
      /^[A-Za-z0-9_@][A-Za-z0-9._/~^@{}+-]*$/,
      'a branch, a tag or a commit of the repository, such as master, REL_17_5 or HEAD~1',
    )
    .optional()
    .describe('Branch, tag or commit of the repository, in quotes if it has only digits. Default: HEAD.'),
  path: z
    .string()
    .regex(/^(?!-)\S.*$/, 'a folder')
    .optional()
    .describe('A folder with source code as it is now, relative to the experiment file, in place of git.'),
};

export const sourceSchema = z
  .strictObject({
    ...codeShape,
    configure: z
      .array(
        z
          .string()
          .regex(
            configureOption,
            'an option of PostgreSQL’s configure, such as --enable-cassert or CFLAGS=-O2, but none of a folder: pgduet chooses these',
          ),
      )
      .default([])
      .describe('Options of PostgreSQL’s configure. Default: none, so what configure takes by itself.'),
  })
  .describe(
    'Builds the PostgreSQL of this variant, in place of a version that is installed. On this machine only. A build is kept, and used again.',
  );

export const extensionSchema = z
  .strictObject({
    source: z.strictObject(codeShape).describe('Code with a Makefile for PGXS, as most extensions have.'),
  })
  .describe(
    'Builds an extension, or any other library, for the server of this variant alone. On this machine only. SQL such as CREATE EXTENSION is part of prepare, or of the load.',
  );

/** Code that an experiment names. */
export type NamedCode = z.output<typeof extensionSchema>['source'];

/** Source code of PostgreSQL that an experiment names. */
export type NamedSource = z.output<typeof sourceSchema>;

/** The commit if an experiment names none. */
export const defaultCommit = 'HEAD';

/** Such as `REL_17_5 of ../postgres, --enable-cassert`. */
export function sourceInWords({ git, commit = defaultCommit, path, ...options }: NamedCode | NamedSource): string {
  const configure = 'configure' in options ? options.configure : [];
  return [path ?? `${commit} of ${git ?? ''}`, ...configure].join(', ');
}
