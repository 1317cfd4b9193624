import js from '@eslint/js';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/**
 * Room -> the other rooms that it may import from; anything else of ours is refused. Rooms stand below those that they need:
 * contract is what all know, run and report are what a command puts together (docs/decisions/0001-one-way-imports.md).
 */
const rooms = {
  contract: [],
  files: ['contract'],
  machine: ['contract'],
  statistics: [],
  'rds/contract': ['contract'],
  process: ['contract', 'files', 'machine'],
  'rds/aws': ['contract', 'files', 'rds/contract'],
  postgres: ['contract', 'files', 'process'],
  storage: ['contract', 'files', 'process'],
  'rds/deployments': ['contract', 'rds/aws', 'rds/contract'],
  'rds/bucket': ['contract', 'files', 'rds/aws', 'storage'],
  'rds/collect': ['contract', 'files', 'rds/aws', 'postgres', 'collect'],
  collect: ['contract', 'files', 'machine', 'postgres', 'rds/collect'],
  workloads: ['contract', 'files', 'machine', 'postgres', 'process', 'collect'],
  metrics: ['contract', 'statistics', 'collect', 'workloads'],
  'rds/place': [
    ...['contract', 'files', 'postgres', 'process', 'places'],
    ...['rds/aws', 'rds/collect', 'rds/contract', 'rds/deployments'],
  ],
  places: ['contract', 'files', 'machine', 'process', 'postgres', 'collect', 'workloads', 'rds/place'],
  'rds/deploy': [
    ...['contract', 'files', 'statistics', 'postgres', 'collect', 'workloads', 'metrics', 'places', 'experiment'],
    ...['rds/contract', 'rds/deployments', 'rds/place'],
  ],
  experiment: [
    ...['contract', 'files', 'statistics', 'postgres', 'collect', 'workloads', 'metrics', 'places'],
    ...['rds/deploy', 'rds/place'],
  ],
  'rds/prices': ['contract', 'files', 'places', 'experiment', 'rds/aws', 'rds/deploy', 'rds/deployments', 'rds/place'],
  analysis: [
    ...['contract', 'files', 'statistics', 'postgres', 'storage', 'workloads', 'metrics', 'places', 'experiment'],
    'rds/prices',
  ],
  probes: ['contract', 'files', 'machine', 'process', 'postgres', 'workloads', 'experiment', 'places'],
  'rds/doctor': [
    ...['contract', 'files', 'process', 'postgres', 'workloads', 'experiment', 'places', 'probes'],
    ...['rds/aws', 'rds/contract', 'rds/deploy', 'rds/deployments', 'rds/place', 'rds/prices'],
  ],
  run: [
    ...['contract', 'files', 'machine', 'process', 'postgres', 'storage', 'collect', 'workloads', 'metrics'],
    ...['experiment', 'analysis', 'places'],
  ],
  'rds/driver': [
    ...['contract', 'files', 'machine', 'process', 'postgres', 'storage', 'collect', 'workloads', 'metrics'],
    ...['experiment', 'analysis', 'places', 'probes', 'run'],
    ...['rds/aws', 'rds/bucket', 'rds/contract', 'rds/deploy', 'rds/deployments', 'rds/place', 'rds/prices'],
  ],
  report: [
    ...['contract', 'files', 'statistics', 'postgres', 'storage', 'workloads', 'metrics', 'places', 'experiment'],
    ...['analysis', 'rds/prices'],
  ],
  cli: [
    ...[
      'contract',
      'files',
      'machine',
      'storage',
      'workloads',
      'metrics',
      'experiment',
      'analysis',
      'places',
      'probes',
    ],
    ...['run', 'report', 'rds'],
  ],
};

/** The same for the folders beside the runner: bin/app -> lib -> what they need to know of an experiment. */
const arrows = {
  bin: [
    'lib',
    'runner/contract',
    'runner/experiment',
    'runner/cli',
    ...['contract', 'deploy', 'prices'].map((room) => `runner/rds/${room}`),
  ],
  lib: [
    ...['contract', 'files', 'experiment', 'workloads'].map((room) => `runner/${room}`),
    ...['contract', 'deploy', 'deployments', 'prices'].map((room) => `runner/rds/${room}`),
  ],
  ...Object.fromEntries(
    Object.entries(rooms).map(([room, allowed]) => [`runner/${room}`, allowed.map((other) => `runner/${other}`)]),
  ),
};

/** Modules that open files by their paths, and follow whatever link lies there. */
const fileModules = ['node:fs', 'node:fs/promises', 'fs', 'fs/promises'];

const closedModules = fileModules.map((name) => ({
  name,
  message: 'runner/files/ reads, writes and removes (see docs/security.md).',
}));

/** Whoever reads the runner without interest in AWS never meets it. */
const sdk = { group: ['@aws-sdk/*', '@smithy/*'], message: 'What only RDS needs is in runner/rds/.' };

/** Where the runner may open files itself, and why. Everything else does it by runner/files/. */
const opensFiles = [
  'runner/files/**',
  // Folders of its own, which only we can enter, and what the kernel shows in /proc and /sys.
  'runner/places/local/**',
  'runner/process/**',
  'runner/machine/**',
  'runner/collect/driver/**',
  'runner/run/driver.ts',
  // It closes the descriptors of its own output.
  'runner/cli/process.ts',
];

/** Calls that leave the process end, whatever does not answer. */
const boundedCalls = [
  {
    selector: 'NewExpression[callee.name=/\\wClient$/]',
    message: 'Make a client of AWS with boundClient (runner/rds/aws/bound-client.ts): then each of its calls ends.',
  },
  {
    selector:
      'CallExpression[callee.name=/^run(Command|Checked)$/]:not(:has(Property[key.name="signal"])):not([arguments.1.name="options"])',
    message:
      'Give the command a signal that ends it; ask for a version with askProgram (runner/process/run-command.ts).',
  },
  {
    selector: 'CallExpression[callee.name=/^(spawn|execFile|exec)Sync$/]:not(:has(Property[key.name="timeout"]))',
    message: 'Give the program a timeout: nothing else, not even Ctrl-C, has its turn before it ends.',
  },
  {
    selector: "CallExpression[callee.name='fetch']:not(:has(Property[key.name='signal']))",
    message: 'Give fetch a signal that ends it, with the command and after some time.',
  },
];

const unboundRequests = {
  selector: 'ImportDeclaration[source.value=/^(node:)?(https?|http2)$|^undici$/]',
  message: 'Use fetch, with a signal that ends it: requests of these modules have no bound.',
};

/** What a file holds is what its schema has found there: JSON goes straight to one, or to a comparison, or is our own copy. */
const readByCast = {
  selector: [
    "CallExpression[callee.object.name='JSON'][callee.property.name='parse']:not([arguments.0.callee.object.name='JSON']):not(CallExpression[callee.property.name=/^(parse|safeParse)$/] > CallExpression):not(CallExpression[callee.name=/^(isDeepStrictEqual|isAlike)$/] > CallExpression)",
    "TSAsExpression > AwaitExpression > CallExpression[callee.property.name='json']",
    "VariableDeclarator[init.name='JSON']",
  ].join(', '),
  message: 'Read it by its schema, a file of ours by parseVersioned (runner/contract/versioned-file.ts).',
};

/** What pgduet says is made from codes and numbers. Whoever reads it back changes what it does with each better sentence. */
const words =
  '/^((message|headline|finding|failure|caveat|warning|problem|doubt|sentence)s?|reason|error|remedy|advice)$/';
const readProse = {
  selector: [
    `CallExpression[callee.property.name=/^(startsWith|endsWith|includes|indexOf|match|matchAll|search|split|replace|replaceAll|test)$/]:matches([callee.object.name=${words}], [callee.object.property.name=${words}])`,
    `CallExpression[callee.property.name=/^(test|exec)$/]:matches([arguments.0.name=${words}], [arguments.0.property.name=${words}])`,
  ].join(', '),
  message:
    'Ask for the id, the code or the state that the sentence is made of. What another program prints has another name than these.',
};

/** Without --no-install, npx would fetch and run whatever somebody has registered under this name. */
const printedCommand = {
  selector: 'Literal[value=/npx pgduet/], TemplateElement[value.raw=/npx pgduet/]',
  message: 'A command that is printed begins with ownCommand (runner/contract/own-command.ts).',
};

const byClient = {
  selector:
    'ImportDeclaration[source.value=/process.run-command.ts$/] ImportSpecifier[imported.name=/^run(Command|Checked)$/]',
  message:
    'What an experiment says is run by a client (runner/process/client.ts): not as root, and without our environment.',
};

/** `storage.type` and `place.kind`. */
const kindOfPlace =
  "MemberExpression:matches([property.name='type'], [property.value='type']):matches([object.name='storage'], [object.property.name='storage']), MemberExpression:matches([property.name='kind'], [property.value='kind']):matches([object.name='place'], [object.property.name='place'])";

/**
 * Only the rooms of places know the names of places and of their storage. Others may show them, and hand them on. These are
 * the ways in which people ask; whoever wants to can still get round them.
 */
const namedPlaces = {
  selector: [
    `BinaryExpression[operator=/^([!=]==|in)$/] > :matches(${kindOfPlace})`,
    `MemberExpression > :matches(${kindOfPlace})`,
    `SwitchStatement > :matches(${kindOfPlace})`,
    `CallExpression[callee.property.name=/^(includes|has|get|indexOf|test)$/] > :matches(${kindOfPlace})`,
    'BinaryExpression[operator=/^[!=]==$/] > Literal[value=/^(local|deployed|gp3|io1|io2)$/]',
    'SwitchCase > Literal[value=/^(local|deployed|gp3|io1|io2)$/]',
    "Property[key.name='storage'] > ObjectPattern > Property[key.name='type']",
    "Property[key.name='place'] > ObjectPattern > Property[key.name='kind']",
    "VariableDeclarator:matches([init.name='storage'], [init.property.name='storage']) > ObjectPattern > Property[key.name='type']",
    "VariableDeclarator:matches([init.name='place'], [init.property.name='place']) > ObjectPattern > Property[key.name='kind']",
    'CallExpression > MemberExpression > ArrayExpression > Literal[value=/^(local|deployed|gp3|io1|io2)$/]',
    'CallExpression > Literal[value=/^(deployed|gp3|io1|io2)$/]',
    'ImportDeclaration[source.value=/places\\/(local|deployed)\\/definition\\.ts$/]',
  ].join(', '),
  message: 'Ask the place of the experiment for what follows from it (runner/places/definition.ts).',
};

/** Words that no user meets, as regular expressions, and what the trade says instead. */
const otherWords = {
  '[Mm]easured? (again|anew)': 'rerun, or repeated',
  '[Ll]eaves? [^.;:]{1,40} out|[Ll]eaves? out|[Ll]eft out': 'omit, exclude, or skip',
  'stood still|standstill': 'stalled, or stall',
  '[Ss]poil(s|t|ed)?': 'invalidate',
  'ready-made': 'template',
  'volumes? of limited IOPS': 'IOPS-limited volume',
  '[Ii]n this start': 'in this run',
  'beyond chance': 'beyond noise',
  'trials? that counts?': 'valid trials',
  'do(es)? not count': 'excluded, or ignored',
  'unknown blocks?|blocks? (is|are|that are) unknown': 'lost blocks',
  '(metric|percentile) that decides': 'deciding metric',
  'earlier starts?|starts of (this|the) question': 'earlier runs',
  'in vain': 'what was lost, and why',
  'drawn by chance': 'random',
  'kinds? of time': 'component',
  'without a bound': 'unbounded',
  'in mid-run': 'during the run',
  'servers? that exists?': 'existing server',
  'the present one': 'the current one',
  costliest: 'most expensive',
  'not known': 'unknown',
  'by hand': 'manually',
  'once more': 'again',
  '[Rr]efuses': 'rejects',
  'carr(y|ies|ied) out': 'run, or complete',
  '[Gg]oes on|[Ww]ent on': 'continues',
  '[Ss]omebody|[Ee]verybody': 'you, someone, everyone',
  'flush of WAL|volume of the WAL': 'WAL flush, WAL volume',
  '[Nn]othing can be concluded': 'verdict withheld',
  '[0-9] %$': 'a percent sign without a space before it',
};

const ownVoice = Object.entries(otherWords).map(([words, instead]) => {
  const pattern = `/(^|[^a-zA-Z-])(${words})(?![a-zA-Z-])/`;
  return {
    selector: `Literal[value=${pattern}], TemplateElement[value.cooked=${pattern}]`,
    message: `Users read: ${instead}.`,
  };
});

/** What holds in all of the runner. */
const everywhere = [...boundedCalls, printedCommand, readByCast, readProse, ...ownVoice];

/** Say max, min, default, or what the value is: a name that begins otherwise is read twice. */
const plainNames = {
  selector: 'default',
  format: null,
  custom: { regex: '^(most|fewest|least|of)[A-Z]', match: false },
};

/** What is in AWS alone has its names in rds/. These rooms only import it. */
const withoutAws = [
  'contract',
  'experiment',
  'report',
  'cli',
  'places',
  'collect',
  'run',
  'analysis',
  'statistics',
  'metrics',
  'workloads',
  'postgres',
  'process',
  'files',
  'machine',
  'storage',
];
const ownNames = {
  ...plainNames,
  custom: {
    regex:
      '^(most|fewest|least|of)[A-Z]|^(most|fewest|least)$|[cC]loudWatch|(^rds|Rds|^aws|Aws|^ec2|Ec2)([A-Z_]|$)|RDS|EC2|AWS',
    match: false,
  },
};

export default defineConfig(
  { ignores: ['node_modules', 'dist', 'results', 'cdk.out', 'coverage'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'import-x': importX },
    settings: {
      'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.js', '.mjs'] })],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
    },
    rules: {
      'import-x/no-cycle': 'error',
      'import-x/no-restricted-paths': [
        'error',
        {
          basePath: import.meta.dirname,
          zones: [
            ...Object.entries(arrows).map(([folder, allowed]) => ({
              target: folder,
              from: '.',
              except: [folder, 'node_modules', 'package.json', ...allowed],
              message: `${folder}/ may import from ${allowed.join(', ') || 'no other folder of ours'} (see docs/decisions/0001-one-way-imports.md).`,
            })),
          ],
        },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/naming-convention': ['error', plainNames],
      // `import { type X }` would load the file where it runs, and so make circles that no reader sees.
      '@typescript-eslint/no-import-type-side-effects': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: withoutAws.map((room) => `runner/${room}/**/*.ts`),
    rules: { '@typescript-eslint/naming-convention': ['error', ownNames] },
  },
  {
    files: ['runner/**/*.ts'],
    ignores: ['runner/rds/**'],
    rules: { 'no-restricted-imports': ['error', { patterns: [sdk] }] },
  },
  {
    files: ['runner/**/*.ts'],
    ignores: opensFiles,
    rules: { 'no-restricted-imports': ['error', { paths: closedModules, patterns: [sdk] }] },
  },
  {
    files: ['runner/rds/**/*.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: closedModules }] },
  },
  {
    files: ['runner/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...everywhere, unboundRequests, namedPlaces],
    },
  },
  {
    files: [
      'runner/workloads/**/*.ts',
      'runner/probes/**/*.ts',
      'runner/rds/driver/**/*.ts',
      'runner/rds/doctor/**/*.ts',
    ],
    rules: {
      'no-restricted-syntax': ['error', ...everywhere, unboundRequests, namedPlaces, byClient],
    },
  },
  { files: ['lib/**/*.ts'], rules: { 'no-restricted-syntax': ['error', printedCommand, ...ownVoice] } },
  {
    files: ['runner/places/**', 'runner/rds/place/**', 'runner/rds/deployments/**'],
    rules: {
      'no-restricted-syntax': ['error', ...everywhere, unboundRequests],
    },
  },
  {
    // It answers requests, and makes none. It bounds what others can ask of it.
    files: ['runner/report/live/server.ts'],
    rules: { 'no-restricted-syntax': ['error', ...everywhere, namedPlaces] },
  },
  { files: ['**/*.js', '**/*.mjs'], languageOptions: { globals: { process: 'readonly', console: 'readonly' } } },
);
