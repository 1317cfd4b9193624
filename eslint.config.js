import js from '@eslint/js';
import { importX } from 'eslint-plugin-import-x';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * Folder -> the other folders of ours that it may import from; anything else of ours is refused.
 * The arrows run one way: bin/app -> lib -> runner/experiment <- the rest of runner; bin/pgduet -> runner/cli.
 */
const arrows = {
  bin: ['lib', 'runner/experiment', 'runner/costs', 'runner/cli'],
  lib: ['bin/build-options.mjs', 'runner/experiment', 'runner/costs'],
  'runner/experiment': [],
  'runner/process': ['runner/experiment'],
  'runner/aws': ['runner/experiment'],
  'runner/statistics': [],
  'runner/costs': ['runner/experiment', 'runner/aws'],
  'runner/places': ['runner/experiment', 'runner/process', 'runner/aws'],
  'runner/workloads': ['runner/experiment', 'runner/process', 'runner/places'],
  'runner/observe': ['runner/experiment', 'runner/places'],
  'runner/results': ['runner/experiment', 'runner/aws', 'runner/statistics', 'runner/workloads', 'runner/observe'],
  'runner/checks': [
    'runner/experiment',
    'runner/process',
    'runner/aws',
    'runner/places',
    'runner/workloads',
    'runner/observe',
    'runner/results',
    'runner/statistics',
    'runner/costs',
  ],
  'runner/report': ['runner/experiment', 'runner/workloads', 'runner/results', 'runner/statistics', 'runner/costs'],
  'runner/execute': [
    'runner/experiment',
    'runner/places',
    'runner/workloads',
    'runner/observe',
    'runner/results',
    'runner/checks',
    'runner/costs',
  ],
  'runner/cli': ['runner'],
};

export default defineConfig(
  { ignores: ['node_modules', 'dist', 'results', 'cdk.out', 'coverage'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'import-x': importX },
    rules: {
      'import-x/no-restricted-paths': [
        'error',
        {
          basePath: import.meta.dirname,
          zones: Object.entries(arrows).map(([folder, allowed]) => ({
            target: folder,
            from: '.',
            except: [folder, 'node_modules', 'package.json', ...allowed],
            message: `${folder}/ may import from ${allowed.join(', ') || 'no other folder of ours'} (see docs/decisions/0001-one-way-imports.md).`,
          })),
        },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      eqeqeq: 'error',
    },
  },
  { files: ['**/*.js', '**/*.mjs'], languageOptions: { globals: { process: 'readonly', console: 'readonly' } } },
);
