import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import { timeoutWarnings } from '../../../src/config/timeout-warnings.ts';

const warningsOf = (idle: string, firstByte: string) =>
  Array.from(
    timeoutWarnings(
      parseConfig(
        `
backends: { main: { type: s3, endpoint: "http://x", credentials: none, timeouts: { firstByte: ${firstByte} } } }
limits: { timeouts: { idle: ${idle} } }
`,
        {},
      ),
    ),
  );

it('warns where a connection counts as idle before its request can be answered', () => {
  expect(warningsOf('10s', '10s')).toEqual([
    {
      path: ['limits', 'timeouts', 'idle'],
      consequence: expect.stringContaining('backends.main, which has 10s'),
    },
  ]);
  expect(warningsOf('11s', '10s')).toEqual([]);
});
