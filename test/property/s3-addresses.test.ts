import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type AccessPoint,
  accessPointHost,
  formatAccessPointArn,
  parseAccessPointArn,
  parseAccessPointHost,
} from '../../src/s3/access-point.ts';
import { encodeKey, parseAddress } from '../../src/s3/address.ts';
import { S3Error } from '../../src/s3/error.ts';
import { parseQuery } from '../../src/s3/query.ts';

const key = fc
  .oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.stringMatching(/^[/.%+a-z ]{1,30}$/))
  .filter(text => text.isWellFormed());

it('A key survives being written into a path and read from it', () => {
  fc.assert(
    fc.property(key, text => {
      const address = parseAddress(`/bucket/${encodeKey(text)}`, undefined, undefined);
      expect(address).toMatchObject({ kind: 'object', key: text });
    }),
  );
});

it('A key is the same in the path form and in the host form', () => {
  fc.assert(
    fc.property(key, text => {
      const inPath = parseAddress(`/bucket/${encodeKey(text)}?q`, 'd.test', 'd.test');
      expect(parseAddress(`/${encodeKey(text)}?q`, 'bucket.d.test', 'd.test')).toEqual(inPath);
    }),
  );
});

it('Any target and host whatever give an address or an error of the protocol', () => {
  const target = fc.oneof(
    fc.string(),
    fc.string().map(text => `/${text}`),
    fc.webUrl(),
  );
  fc.assert(
    fc.property(target, fc.string(), (url, host) => {
      try {
        const address = parseAddress(url, host, 'd.test');
        parseQuery(address.query);
      } catch (error) {
        expect(error).toBeInstanceOf(S3Error);
      }
    }),
  );
});

it('An access point survives being written as a host and as an ARN', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}[a-z0-9]$/);
  const point: fc.Arbitrary<AccessPoint> = fc
    .record({
      service: fc.constantFrom('s3' as const, 's3-object-lambda' as const, 's3-outposts' as const),
      region: fc.constantFrom('eu-west-1', 'us-east-2'),
      accountId: fc.stringMatching(/^\d{12}$/),
      name,
    })
    .map(parts => ({
      ...parts,
      partition: 'aws',
      outpostId: parts.service === 's3-outposts' ? 'op-1a' : undefined,
    }));
  fc.assert(
    fc.property(point, given => {
      expect(parseAccessPointArn(formatAccessPointArn(given))).toEqual(given);
      expect(parseAccessPointHost(accessPointHost(given, 's3.eu-west-1.amazonaws.com'))).toEqual(given);
    }),
  );
});

it('Parameters survive being written and read', () => {
  const text = fc.string({ unit: 'binary' }).filter(value => value.isWellFormed());
  const pairs = fc.array(fc.record({ name: text, value: text }));
  fc.assert(
    fc.property(pairs, list => {
      const raw = list.map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
      expect(parseQuery(raw.join('&'))).toEqual(list);
    }),
  );
});
