import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isSealed,
  listingKeyOf,
  openPosition,
  sealPosition,
} from '../../../../src/s3/listing/marker-seal.ts';

const key = randomBytes(32);
const listing = ['ListObjects', 'b', 'prefix', '/', 'reader'];

describe('a sealed marker', () => {
  it('opens to what was sealed, whatever that is', () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 200 }), { maxLength: 2 });
    fc.assert(
      fc.property(texts, position => {
        const wellFormed = position.map(text => text.toWellFormed());
        expect(openPosition(sealPosition(position, key, listing), key, listing)).toEqual(wellFormed);
      }),
    );
  });

  it('tells neither the name in it nor its length, and is never the same twice', () => {
    const short = sealPosition(['private/a'], key, listing);
    const long = sealPosition(['private/a-much-longer-name.txt'], key, listing);
    expect(short.length).toBe(long.length);
    expect(Buffer.from(short.slice(10), 'base64url').toString('latin1')).not.toContain('private');
    expect(sealPosition(['private/a'], key, listing)).not.toBe(short);
    expect(short).toMatch(/^[\w~-]+$/);
  });

  it.each([0, 1, 2, 3, 4])('is good for the same listing alone: part %i of it is another', index => {
    const other = listing.with(index, 'other');
    expect(openPosition(sealPosition(['a'], key, listing), key, other)).toBeUndefined();
  });

  it('opens with no other key and after no change', () => {
    const sealed = sealPosition(['a'], key, listing);
    expect(openPosition(sealed, randomBytes(32), listing)).toBeUndefined();
    for (let at = 0; at < sealed.length - 1; at += 7) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      expect(openPosition(changed, key, listing)).toBeUndefined();
    }
    for (const text of ['', 'a', '~tidegate~', '~tidegate~AAAA', `~tidegate~${'A'.repeat(40_000)}`])
      expect(openPosition(text, key, listing)).toBeUndefined();
  });

  it('is told from a key', () => {
    expect(isSealed(sealPosition(['a'], key, listing))).toBe(true);
    expect(isSealed('photos/a~tidegate~')).toBe(false);
    expect(isSealed('~tidegate~x')).toBe(false);
    expect(isSealed(sealPosition([''], key, listing).slice(0, 1024))).toBe(false);
  });

  it('fits into a URL, whatever the longest names hold', () => {
    for (const character of ['\u0001', '"', '\\', 'é', '\u{1f600}']) {
      const name = character.repeat(1024 / Buffer.byteLength(character));
      const sealed = sealPosition([name, name], key, listing);
      expect(sealed.length).toBeLessThan(4096);
      expect(openPosition(sealed, key, listing)).toEqual([name, name]);
    }
  });
});

it('the key comes from the secret, and is one of each backend', () => {
  expect(listingKeyOf('secret', 'main')).toEqual(listingKeyOf('secret', 'main'));
  expect(listingKeyOf('secret', 'main')).not.toEqual(listingKeyOf('secret', 'other'));
  expect(listingKeyOf('secret', 'main')).not.toEqual(listingKeyOf('other', 'main'));
  expect(listingKeyOf('secret', 'main')).toHaveLength(32);
});
