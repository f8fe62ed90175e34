import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sealing, unsealing } from '../../src/embedded-store/disk/seal.ts';

it('what was sealed opens from any byte on', async () => {
  const key = randomBytes(32);
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), async (plain, seed) => {
      const offset = seed % plain.length;
      const { nonce, cipher } = sealing(key);
      const sealed = cipher.update(plain);
      const opened = unsealing(key, nonce, offset);
      opened.end(sealed.subarray(offset));
      expect(Buffer.concat(await opened.toArray())).toEqual(Buffer.from(plain.subarray(offset)));
    }),
  );
});
