import { builtinModules } from 'node:module';
import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Time and chance are arguments (Clock, Ids, Random, Scheduler), except in the files that supply them. */
const SUPPLIES_TIME_AND_CHANCE = [
  'src/adapters/**',
  'src/bootstrap/**',
  'src/cli/**',
  'src/http/**',
  'src/library/**',
  'src/*main.ts',
  'test/**',
  'bench/**',
  'demo/**',
];

/** What decides, folds or describes runs anywhere: it sees no operating system. */
const PURE = [
  'src/kernel/**',
  'src/events/**',
  'src/resources/**',
  'src/ports/**',
  'commands/**',
  'projections/**',
  'queries/**',
];

const useA = (port) => `Time and chance are arguments: take a ${port}.`;

const globals = [
  ...['Date', 'Temporal', 'performance'].map((name) => ({ name, message: useA('Clock') })),
  ...['setTimeout', 'setInterval', 'setImmediate'].map((name) => ({
    name,
    message: useA('Scheduler'),
  })),
  { name: 'crypto', message: useA('Random, or Ids') },
];

const properties = [
  { object: 'Math', property: 'random', message: useA('Random') },
  { object: 'process', property: 'hrtime', message: useA('Clock') },
  { object: 'process', property: 'uptime', message: useA('Clock') },
  { object: 'process', property: 'nextTick', message: useA('Scheduler') },
];

const timeModules = {
  regex: '^(node:)?(timers|perf_hooks)(/|$)',
  message: useA('Clock or a Scheduler'),
};
const random = {
  regex: '^(node:)?crypto$',
  importNamePattern: '^(random|getRandom|generate|webcrypto|default$)',
  message: useA('Random, or Ids'),
};
const anyNodeModule = {
  regex: `^(node:.*|(${builtinModules.join('|')})(/.*)?)$`,
  message: 'This layer is pure: put the call behind a port.',
};
const nodeModuleOtherThanHash = [
  {
    regex: `^(?!node:crypto$)(node:.*|(${builtinModules.join('|')})(/.*)?)$`,
    message: 'The journal and its chain need nothing from Node but a hash.',
  },
  {
    regex: '^node:crypto$',
    allowImportNames: ['createHash', 'hash'],
    message: useA('Random, or Ids'),
  },
];
const http = {
  regex: '^(node:)?http$',
  allowTypeImports: true,
  message:
    'An import loads an HTTP client too, at every start: take it from src/http/node-http.ts.',
};

export default defineConfig(
  globalIgnores([
    ...['coverage/', 'data/', 'dist/', 'src/library/client/api.ts'],
    'test/generated-clients/stories/',
  ]),
  js.configs.recommended,

  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      eqeqeq: 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error', // Type stripping would keep the import.
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true }, // The default is `unreachable(x)`: the compiler checks it.
      ],

      '@typescript-eslint/consistent-type-definitions': 'off', // `Readonly<{…}>` and interfaces both have their place.
      '@typescript-eslint/no-generated-empty-object-type': 'off', // `{}` is what mapped types say for "nothing".
      '@typescript-eslint/no-non-null-assertion': 'off', // With unchecked index access, `!` says a bound was checked.
      '@typescript-eslint/no-unsafe-unary-minus': 'off', // It does not see that a branded bigint is one.
      '@typescript-eslint/require-await': 'off', // `async` turns a throw into a rejection, as ports promise.

      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-empty-function': ['error', { allow: ['arrowFunctions', 'methods'] }],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },

  {
    files: ['**/*.ts'],
    ignores: SUPPLIES_TIME_AND_CHANCE,
    rules: {
      'no-restricted-globals': ['error', { globals, checkGlobalObject: true }],
      'no-restricted-properties': ['error', ...properties],
      'no-restricted-imports': ['error', { patterns: [timeModules, random] }],
    },
  },
  {
    files: PURE,
    rules: { 'no-restricted-imports': ['error', { patterns: [anyNodeModule] }] },
  },
  {
    files: ['src/journal/**', 'src/kernel/event-hash.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns: nodeModuleOtherThanHash }] },
  },

  {
    files: ['src/**/*.ts'],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: [http] }] },
  },

  {
    files: ['src/http/pages/browser/*.js'],
    rules: { 'no-undef': 'off' }, // The compiler checks these scripts, and knows what browsers offer.
  },

  {
    files: ['test/**'],
    rules: {
      '@typescript-eslint/no-unused-expressions': 'off', // `expect(x).to.be.true`
    },
  },
);
