import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GatewayConfig } from '../../../src/config/gateway-config.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { allocateCache } from '../../../src/wiring/cache.ts';
import { buildOnce } from '../../../src/wiring/trial-build.ts';

const withMemory = (workers: number, sizeBytes: number): GatewayConfig => ({
  ...parseConfig(`workers: ${workers}`, {}),
  cache: { memory: { sizeBytes } },
});

describe('the memory for records', () => {
  it('is a whole number for each worker, whatever the size and the workers', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 2 ** 24, max: 2 ** 26 }),
        (workers, size) => {
          const { recordBytesPerWorker } = allocateCache(withMemory(workers, size), workers, false);
          const share = size / (workers === 1 ? 32 : 16);
          expect(Number.isInteger(recordBytesPerWorker)).toBe(true);
          expect(workers * recordBytesPerWorker).toBeGreaterThan(share - workers);
          expect(workers * recordBytesPerWorker).toBeLessThanOrEqual(share);
        },
      ),
      { numRuns: 30 },
    );
  });
});

it.each([1, 2, 3, 5, 6, 7])('a gateway of %i workers can be built', workers => {
  expect(() => buildOnce(withMemory(workers, 2 ** 24))).not.toThrow();
});

it('every part of a full configuration can be built', () => {
  const config = parseConfig(
    `domain: s3.example.test
backends:
  main: { type: s3, endpoint: "https://s3.eu-west-1.amazonaws.com", keys: exact }
  own: { type: embedded, directory: ./data }
buckets:
  photos: { backend: main, access: public, anonymous: [{ actions: [GetObject], keys: ["pub/**"] }] }
  "*": { backend: own, access: verify, rules: [{ keys: ["a/**"], cache: { ttl: 1d } }] }
clients: [{ accessKeyId: AKID, secretAccessKey: hidden-secret, allow: [{ buckets: [photos], actions: ["*"] }] }]
alerts:
  webhooks: [{ url: "https://hooks.example.test/x" }]
  callbacks: { port: 8443, url: "https://gateway.example.test", token: { keys: "https://d.example.test/keys", subjects: { a: Ada } } }`,
    {},
  );
  expect(() => buildOnce(config)).not.toThrow();
});

it('what a start would fail with is thrown', () => {
  const config = withMemory(1, 2 ** 24);
  const broken = { ...config, alerts: { ...config.alerts, statusPage: 'nowhere' } };
  expect(() => buildOnce(broken)).toThrow('Invalid URL');
});
