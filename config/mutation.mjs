import { tmpdir } from 'node:os';
import { join } from 'node:path';

const reports = 'node_modules/.cache/mutation';

/** Mutation tests (StrykerJS): which changes of the sources no test notices. `--mutate src/http/**` takes one folder. */
export default {
  mutate: ['src/{cache,gateway,http,s3}/**/*.ts'],
  testRunner: 'vitest',
  vitest: { configFile: 'config/vitest.mutation.config.ts' },
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 10_000,
  reporters: ['progress-append-only', 'clear-text', 'json', 'html'],
  clearTextReporter: { reportTests: false, reportMutants: false, allowEmojis: false },
  jsonReporter: { fileName: `${reports}/report.json` },
  htmlReporter: { fileName: `${reports}/report.html` },
  // below node_modules Node would not strip types
  tempDirName: join(tmpdir(), 'tidegate-mutation'),
  cleanTempDir: 'always',
  allowConsoleColors: false,
};
