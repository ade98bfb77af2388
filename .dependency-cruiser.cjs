const { mayImport } = require('./tools/folder-table.cjs');

const NPM_TYPES = [
  'npm',
  'npm-dev',
  'npm-optional',
  'npm-peer',
  'npm-bundled',
  'npm-no-pkg',
  'npm-unknown',
  'unknown',
  'undetermined',
];

const tableRules = Object.entries(mayImport).map(([folder, others]) => ({
  name: `table-${folder}`,
  severity: 'error',
  comment: `src/${folder} may import: ${[folder, ...others].join(', ')}`,
  from: { path: `^src/${folder}/` },
  to: { path: '^src/', pathNot: `^src/(${[folder, ...others].join('|')})/` },
}));

const typeOnly = (from, to) => ({
  name: `types-only-${from}-${to}`,
  severity: 'error',
  comment: `src/${from} may import types of src/${to}, not code`,
  from: { path: `^src/${from}/` },
  to: { path: `^src/${to}/`, dependencyTypesNot: ['type-only'] },
});

module.exports = {
  forbidden: [
    ...tableRules,
    typeOnly('frameworks', 'engine'),
    typeOnly('page', 'core'),
    {
      name: 'root-is-not-imported',
      severity: 'error',
      comment: 'src/*.ts is the composition root: it imports everything, only the cli imports it',
      from: { path: '^src/', pathNot: '^src/(cli/|[^/]+$)' },
      to: { path: '^src/[^/]+$' },
    },
    {
      name: 'root-without-cli',
      severity: 'error',
      comment: 'a library entry point must not reach the command line or its dependencies',
      from: { path: '^src/[^/]+$' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'core-is-pure',
      severity: 'error',
      comment: 'src/core has no Node module, so it runs on any clock and any runtime',
      from: { path: '^src/core/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'siblings',
      severity: 'error',
      comment: 'one file per dependency, framework, store or rule; none imports another',
      from: { path: '^src/(checks|frameworks|lease/stores|manifest/rules)/(?!index\\.ts)([^/.]+)' },
      to: { path: '^src/$1/', pathNot: '^src/$1/$2[/.]' },
    },
    {
      name: 'no-npm-in-library',
      severity: 'error',
      comment:
        'callers bring their own client; the library has no runtime dependency (the script of the page is bundled)',
      from: { path: '^src/', pathNot: '^src/(cli|page/client)/' },
      to: { dependencyTypes: NPM_TYPES },
    },
    {
      name: 'src-stands-alone',
      severity: 'error',
      comment: 'nothing outside src is published',
      from: { path: '^src/' },
      to: { path: '^(examples|bench|tools|test|docs|dist)/' },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: ['node_modules', '^dist/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'default'],
    },
  },
};
