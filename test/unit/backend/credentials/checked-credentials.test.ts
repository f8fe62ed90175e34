import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkedCredentials } from '../../../../src/backend/credentials/checked-credentials.ts';

const keys = { accessKeyId: 'AKIA', secretAccessKey: 'planted' };

it('gives what can be used', () => {
  const expiration = new Date(Date.UTC(2040, 0, 1));
  expect(checkedCredentials({ ...keys, sessionToken: 'token/+=', expiration })).toEqual({
    ...{ ...keys, sessionToken: 'token/+=', expiresAtMs: expiration.getTime() },
  });
});

it.each(['', null, undefined])('has no session token where the source gives %j', sessionToken => {
  expect(checkedCredentials({ ...keys, sessionToken })).toEqual({
    ...{ ...keys, sessionToken: undefined, expiresAtMs: undefined },
  });
});

it.each([
  [{ accessKeyId: '' }, 'there is no access key id'],
  [{ accessKeyId: ['planted'] }, 'there is no access key id'],
  [{ secretAccessKey: { planted: 1 } }, 'there is no secret access key'],
  [{ sessionToken: 7 }, 'there is no session token'],
  [{ accessKeyId: 'planted\r\nx: y' }, 'the access key id has characters that cannot be sent'],
  [{ sessionToken: 'planted\u00e9' }, 'the session token has characters that cannot be sent'],
  [{ sessionToken: ' planted' }, 'the session token has characters that cannot be sent'],
  [{ sessionToken: 'planted'.repeat(2_000) }, 'the session token is too long'],
  [{ expiration: new Date('soon') }, 'the expiration is not a valid time'],
])('refuses %j', (wrong, message) => {
  const check = () => checkedCredentials({ ...keys, ...wrong });
  expect(check).toThrow(expect.objectContaining({ code: 'INVALID_CREDENTIALS', message }));
});

it('whatever a source gives, the result can be sent and has a time, or there is none', () => {
  const any = fc.oneof(fc.anything(), fc.string({ unit: 'binary' }), fc.constant('key'));
  const given = fc.record({
    ...{ accessKeyId: any, secretAccessKey: any, sessionToken: any },
    expiration: fc.option(fc.date({ noInvalidDate: false }), { nil: undefined }),
  });
  fc.assert(
    fc.property(given, something => {
      try {
        const { accessKeyId, sessionToken = '', expiresAtMs = 0 } = checkedCredentials(something);
        expect([...new Headers({ accessKeyId, sessionToken }).values()]).toEqual([accessKeyId, sessionToken]);
        expect(new Date(expiresAtMs).toISOString()).toEqual(expect.any(String));
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_CREDENTIALS' });
      }
    }),
    { numRuns: 1_000 },
  );
});
