import { afterEach, beforeEach, expect, it } from 'vitest';
import { createActionSigner } from '../../../../src/alerts/callbacks/action-ticket.ts';
import type { CardAction } from '../../../../src/alerts/card/card.ts';
import {
  bearerToken,
  CallbackBench,
  type PressChanges,
  type TokenChanges,
  trickTokens,
} from '../../../support/callback-bench.ts';

let bench: CallbackBench;

beforeEach(async () => {
  bench = await new CallbackBench().start();
});
afterEach(() => bench.stop());

const alertIds = ['a-1'];
const object = { bucket: 'photos', key: 'a.bin' };
const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const silence = () => bench.sign({ action: 'silence', alertIds });
const acknowledge = () => form({ token: bench.sign({ action: 'acknowledge', alertIds }) });

/** Sends what a row says; the answer has to be its refusal, and nothing may have changed. */
async function expectRefusal(status: number, code: string, body: string, changes: PressChanges = {}) {
  const answer = await bench.send(body, changes);
  expect([answer.status, answer.code]).toEqual([status, code]);
  expect(String(answer.headers['card-action-status'])).toMatch(/\w.*\.$/);
  expect(answer.headers['card-update-in-body']).toBeUndefined();
  expect(bench.changes).toEqual([]);
  expect(bench.acts.recent()).toEqual([]);
}

const now = Math.floor(Date.UTC(2026, 0, 5, 12) / 1_000);

it.each<[string, number, string, TokenChanges]>([
  ['has expired beyond the tolerance', 401, 'token-expired', { claims: { exp: now - 61 } }],
  ['has no expiry', 401, 'token-wrong-claim', { without: 'exp' }],
  ['is not valid yet', 401, 'token-wrong-claim', { claims: { nbf: now + 600 } }],
  ['has another issuer', 401, 'token-wrong-issuer', { claims: { iss: 'https://elsewhere.test/' } }],
  ['has another audience', 401, 'token-wrong-audience', { claims: { aud: 'https://gateway.test/other' } }],
  ['has no identity', 401, 'token-wrong-claim', { without: 'sub' }],
  [
    'has an identity that is not on the list',
    403,
    'identity-not-allowed',
    { claims: { sub: 'somebody else' } },
  ],
  ['has no application', 401, 'token-wrong-claim', { without: 'appid' }],
  ['has another application', 403, 'application-not-allowed', { claims: { appid: 'another' } }],
  [
    'has an application that is no text',
    403,
    'application-not-allowed',
    { claims: { appid: ['app-of-the-service'] } },
  ],
  ['is signed by another key', 401, 'token-wrong-signature', { signedBy: 'another key' }],
  ['names a key that nobody knows', 401, 'token-wrong-signature', { kid: 'unknown' }],
])('a bearer token that %s is refused', async (_, status, code, changes) => {
  const authorization = `Bearer ${await bearerToken(bench.clock, changes)}`;
  await expectRefusal(status, code, acknowledge(), { authorization });
});

it('a bearer token within the tolerance is taken', async () => {
  const authorization = `Bearer ${await bearerToken(bench.clock, { claims: { exp: now - 59 } })}`;
  expect((await bench.send(acknowledge(), { authorization })).status).toBe(200);
});

it('a token signed with the public key as a secret, or not at all, is refused', async () => {
  const { hmac, none } = await trickTokens(bench.clock);
  await expectRefusal(401, 'token-wrong-algorithm', acknowledge(), { authorization: `Bearer ${hmac}` });
  await expectRefusal(401, 'token-wrong-algorithm', acknowledge(), { authorization: `Bearer ${none}` });
});

it.each<[string, number, string, PressChanges]>([
  ['no token', 401, 'token-missing', { authorization: undefined }],
  ['another scheme', 401, 'token-missing', { authorization: 'Basic YTpi' }],
  ['what is no token', 401, 'token-malformed', { authorization: 'Bearer abc' }],
  ['an endless token', 401, 'token-malformed', { authorization: `Bearer ${'a'.repeat(9_000)}` }],
  ['another path', 404, 'not-found', { path: '/callbacks/cards/other' }],
  ['a query', 404, 'not-found', { path: '/callbacks/cards/actions?x=1' }],
  ['GET', 405, 'method-not-allowed', { method: 'GET' }],
  ['PUT', 405, 'method-not-allowed', { method: 'PUT' }],
  ['JSON', 415, 'wrong-content-type', { contentType: 'application/json' }],
  [
    'a type that only begins alike',
    415,
    'wrong-content-type',
    { contentType: 'application/x-www-form-urlencoded2' },
  ],
  ['too large a body', 413, 'body-too-large', { body: `token=${'a'.repeat(20_000)}` }],
])('a request with %s is refused', async (_, status, code, changes) => {
  await expectRefusal(status, code, acknowledge(), changes);
});

it('an answer to a refused token says what scheme is asked for (RFC 9110 §11.6.1)', async () => {
  const answer = await bench.send(acknowledge(), { authorization: undefined });
  expect(answer.headers['www-authenticate']).toBe('Bearer');
});

it.each<[string, string, () => string]>([
  ['an empty body', 'form-ambiguous', () => ''],
  ['a field twice', 'form-ambiguous', () => `${acknowledge()}&${acknowledge()}`],
  ['an unknown field', 'form-ambiguous', () => `${acknowledge()}&admin=1`],
  ['a field of another action', 'form-ambiguous', () => `${acknowledge()}&days=1`],
  ['an unescaped & in a text', 'form-ambiguous', () => `token=${silence()}&duration=60000&why=this & that`],
  ['an unescaped = in a text', 'form-ambiguous', () => `token=${silence()}&duration=60000&why=a=b`],
  ['a stray % in a text', 'form-ambiguous', () => `token=${silence()}&duration=60000&why=100%`],
  ['a text that brings another token', 'form-ambiguous', () => `token=${silence()}&why=x&token=${silence()}`],
  [
    'a placeholder that nobody filled in',
    'form-ambiguous',
    () => form({ token: silence(), duration: '{{duration.value}}' }),
  ],
  ['neither duration nor moment', 'form-invalid', () => form({ token: silence(), duration: '', until: '' })],
  ['a duration in words', 'form-invalid', () => form({ token: silence(), duration: 'long' })],
  ['a negative duration', 'form-invalid', () => form({ token: silence(), duration: '-1' })],
  ['a duration of nothing', 'form-invalid', () => form({ token: silence(), duration: '0' })],
  [
    'a moment that has passed',
    'form-invalid',
    () => form({ token: silence(), until: '2026-01-05T11:59:59Z' }),
  ],
  [
    'a moment without a time zone',
    'form-invalid',
    () => form({ token: silence(), until: '2026-01-09T10:00' }),
  ],
  ['a day that does not exist', 'form-invalid', () => form({ token: silence(), until: '2026-13-45' })],
  ['a moment too far away', 'form-invalid', () => form({ token: silence(), until: '2026-07-01T00:00:00Z' })],
  [
    'a reason too long',
    'form-invalid',
    () => form({ token: silence(), duration: '60000', why: 'y'.repeat(501) }),
  ],
  [
    'no days to restore for',
    'form-invalid',
    () => form({ token: bench.sign({ action: 'restore', alertIds, objects: [object] }) }),
  ],
  [
    'too many days',
    'form-invalid',
    () => form({ token: bench.sign({ action: 'restore', alertIds, objects: [object] }), days: '91' }),
  ],
  [
    'an unknown tier',
    'form-invalid',
    () =>
      form({
        token: bench.sign({ action: 'restore', alertIds, objects: [object] }),
        days: '1',
        tier: 'Fast',
      }),
  ],
])('a form with %s is refused', async (_, code, body) => {
  await expectRefusal(400, code, body());
});

it.each<[string, number, string, () => string]>([
  ['of nobody', 403, 'ticket-forged', () => 'abc.def'],
  ['that is missing', 403, 'ticket-forged', () => ''],
  ['with a changed payload', 403, 'ticket-forged', () => `x${silence()}`],
  ['with a changed signature', 403, 'ticket-forged', () => `${silence().slice(0, -4)}AAAA`],
  ['with a third part', 403, 'ticket-forged', () => `${silence()}.x`],
  [
    'of another gateway',
    403,
    'ticket-forged',
    () =>
      createActionSigner({ secret: Buffer.alloc(32), clock: bench.clock })({
        action: 'acknowledge',
        alertIds,
      }),
  ],
  [
    'of an alert that nobody knows',
    404,
    'alert-unknown',
    () => bench.sign({ action: 'acknowledge', alertIds: ['gone'] }),
  ],
])('a button %s is refused', async (_, status, code, token) => {
  await expectRefusal(status, code, form({ token: token() }));
});

it('a button of yesterday is refused', async () => {
  const body = acknowledge();
  bench.clock.advance(24 * 3_600_000);
  await expectRefusal(410, 'ticket-expired', body);
});

it('a button works once, over a restart too', async () => {
  const body = acknowledge();
  expect((await bench.send(body)).status).toBe(200);
  const again = await bench.send(body);
  expect([again.status, again.code]).toEqual([409, 'ticket-used']);
  expect(bench.changes).toHaveLength(1);
  expect(bench.database.prepare('SELECT count(*) AS count FROM used_ticket').get()).toEqual({ count: 1 });
});

it('a button to acknowledge what is over is refused', async () => {
  const alert = bench.alerts.get('a-1');
  if (!alert) throw new Error('no alert');
  bench.alerts.set('a-1', { ...alert, state: 'resolved' });
  await expectRefusal(404, 'alert-unknown', acknowledge());
});

it.each(['restore', 'purge'] as const)('%s is refused where it is not configured', async action => {
  const { restore: _restore, purge: _purge, ...others } = bench.operations;
  bench.operations = others;
  const fields = action === 'restore' ? { days: '1' } : {};
  const pressed: CardAction =
    action === 'restore' ? { action, alertIds, objects: [object] } : { action, alertIds, object };
  await expectRefusal(403, 'action-not-available', form({ token: bench.sign(pressed), ...fields }));
});
