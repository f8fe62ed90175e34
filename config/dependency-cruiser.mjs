/** The floors of the house, lowest first: a folder imports from itself and from the floors named before it. */
const floors = [
  'base',
  'http',
  'transport',
  's3',
  'embedded-store',
  'backend',
  'cache',
  'gateway',
  'alerts',
  'admin',
  'server',
  'config',
  'cli',
  'wiring',
];

/** The rooms of the gateway, in the same order; `gateway.ts` and `pipeline.ts` know them all. */
const rooms = ['request', 'fill', 'reply', 'pass', 'read', 'web', 'workers', 'operate'];

const onlyDownwards = floors.map((floor, height) => ({
  name: `${floor}-imports-downwards`,
  severity: 'error',
  from: { path: `^src/${floor}/` },
  to: { path: `^src/(?:(?:${floors.slice(height + 1).join('|') || '-'})/|[^/]+$)` },
}));

const onlyDownwardsInGateway = rooms.map((room, height) => ({
  name: `gateway-${room}-imports-downwards`,
  severity: 'error',
  from: { path: `^src/gateway/${room}/` },
  to: { path: `^src/gateway/(?:(?:${rooms.slice(height + 1).join('|') || '-'})/|[^/]+$)` },
}));

export default {
  forbidden: [
    ...onlyDownwards,
    ...onlyDownwardsInGateway,
    {
      name: 's3-listing-stands-on-the-rest-of-s3',
      severity: 'error',
      from: { path: '^src/s3/[^/]+$' },
      to: { path: '^src/s3/listing/' },
    },
    {
      name: 'cache-never-meets-backend',
      severity: 'error',
      from: { path: '^src/cache/' },
      to: { path: '^src/backend/' },
    },
    {
      name: 'embedded-store-decides-for-itself',
      comment:
        'the reference store must not agree with the gateway by sharing what decides; the table of codes does not',
      severity: 'error',
      from: { path: '^src/embedded-store/' },
      to: { path: '^src/(?:http/(?:range|preconditions|entity-tag)|s3/(?!sigv4-|error(?:-codes)?\\.ts))' },
    },
    {
      name: 'embedded-store-is-reached-over-its-socket',
      severity: 'error',
      from: { path: '^src/(?!wiring/|embedded-store/|store-thread[.]ts$)' },
      to: { path: '^src/embedded-store/' },
    },
    {
      name: 'only-known-floors',
      severity: 'error',
      from: {},
      to: { path: `^src/(?!(?:${floors.join('|')})/|[^/]+$)` },
    },
    {
      name: 'sources-never-import-tests',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^test/' },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'everything-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'runtime-needs-no-dev-dependency',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js', '.json'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
