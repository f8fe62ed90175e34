import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Nearest first: a mutant ends with the first test that fails, and those of its own folder are small. */
const order = ['unit/http/', 'unit/s3/', 'unit/cache/', 'unit/gateway/', 'property/'];

class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => order.findIndex(folder => moduleId.includes(folder));
    return [...files].sort((one, other) => rank(one) - rank(other));
  }
}

/** The tests that mutants are tried against. */
export default defineConfig({
  root: new URL('..', import.meta.url).pathname,
  test: {
    include: ['test/unit/{cache,gateway,http,s3}/**/*.test.ts', 'test/property/**/*.test.ts'],
    // of other floors; each run begins with all tests
    exclude: ['test/property/{alert,card,embedded-store,redaction}*'],
    environment: 'node',
    // a file of tests for each mutant: most of the time would be spent loading the sources
    isolate: false,
    sequence: { sequencer: NearestFirst },
    // many mutants wait for ever, while the slowest test takes 5 s beside other work
    testTimeout: 15_000,
    hookTimeout: 15_000,
  },
});
