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

it.each([
  ['GetObject', '60s', 0],
  ['PutObject', '60s', 1],
  ['*', '60s', 1],
  ['PutObject', '61s', 0],
])(
  'where clients may %s, an idle limit of %s has %d warnings: writes are waited for',
  (action, idle, count) => {
    const warnings = Array.from(
      timeoutWarnings(
        parseConfig(
          `
backends: { main: { type: s3, endpoint: "http://x", credentials: none } }
buckets: { b: { backend: main, access: verify } }
clients: [{ accessKeyId: AKID, secretAccessKey: s, allow: [{ buckets: [b], actions: ["${action}"] }] }]
limits: { timeouts: { idle: ${idle} } }
`,
          {},
        ),
      ),
    );
    expect(warnings).toHaveLength(count);
    for (const { consequence } of warnings) expect(consequence).toContain('stores may take 1m to answer one');
  },
);
