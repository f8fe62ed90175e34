import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLogger } from '../../../src/base/logger.ts';
import { accessLogTo } from '../../support/access-log-to.ts';
import { type Spoil, STRANGER, withHeader, withParameter } from '../../support/conformance/door.ts';
import { Lab } from '../../support/conformance/lab.ts';
import {
  type Delivery,
  presignedQuestion,
  type Question,
  signedQuestion,
} from '../../support/conformance/question.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { type RawRequest, rawRequest } from '../../support/raw-request.ts';

type Line = Readonly<Record<string, unknown>>;

let lab: Lab;
let clock: ManualClock;
let warnings: Line[];
let requests: Line[];

beforeEach(async () => {
  clock = new ManualClock();
  warnings = [];
  requests = [];
  const writeTo = (lines: Line[]) => (text: string) => void lines.push(JSON.parse(text));
  const sink = { write: writeTo(warnings), flush: () => undefined };
  const logger = createLogger({ level: 'info', sink });
  const gateway = { clock, logger, accessLog: accessLogTo(writeTo(requests)) };
  lab = await Lab.start({ buckets: { box: {} }, gateway });
});
afterEach(() => lab.stop());

const delivery = (more: Partial<Delivery> = {}): Delivery => ({
  ...{ origin: lab.gateway.url(), prefix: 'x-amz-', nowMs: lab.store.clock.nowMs() },
  ...more,
});

const send = (request: RawRequest) => rawRequest(lab.gateway.url(), request);

const asIs: Spoil = request => request;

it.each<[string, Partial<Question>, Partial<Delivery> & { ageMs?: number }, Spoil, Line]>([
  ['unknown access key', { as: STRANGER }, {}, asIs, { code: 'InvalidAccessKeyId', accessKey: 'stranger' }],
  [
    'wrong signature',
    { as: { ...OWNER, secretAccessKey: 'x' } },
    {},
    asIs,
    { code: 'SignatureDoesNotMatch' },
  ],
  ['clock skew', {}, { ageMs: 901_000 }, asIs, { code: 'RequestTimeTooSkewed' }],
  ['wrong region', {}, { region: 'mars-1' }, asIs, { code: 'AuthorizationHeaderMalformed' }],
  ['header that is not signed', {}, {}, withHeader('x-amz-meta-a', () => 'b'), { code: 'AccessDenied' }],
  ['missing date', {}, {}, withHeader('x-amz-date', undefined), { code: 'AccessDenied' }],
  [
    'malformed Authorization header',
    {},
    {},
    withHeader('authorization', () => 'Basic b3duZXI6c2VjcmV0'),
    { code: 'InvalidArgument', accessKey: 'nothing' },
  ],
  [
    'unknown access key',
    { as: { ...STRANGER, accessKeyId: 'wJalrXUtnFEMIaK7MDENGabPxRfiCYEXAMPLEKEY1' } },
    {},
    asIs,
    { accessKey: 'nothing' },
  ],
])(
  'a refused signature is logged with client, key and why: %s',
  async (why, question, more, spoil, expected) => {
    const { ageMs = 0, ...rest } = more;
    const nowMs = lab.store.clock.nowMs() - ageMs;
    await send(spoil(signedQuestion({ path: '/box/k', ...question }, delivery({ nowMs, ...rest }))));
    const { accessKey = 'owner', ...others } = expected;
    const told = { client: '127.0.0.1', why, ...others };
    for (const lines of [warnings, requests]) {
      expect(lines).toEqual([expect.objectContaining({ bucket: 'box', ...told })]);
      expect(lines[0]?.accessKey ?? 'nothing').toBe(accessKey);
    }
    expect(warnings[0]?.level).toBe('warn');
    expect(warnings[0]?.requestId).toBe(requests[0]?.requestId);
  },
);

it('so is that of a presigned URL', async () => {
  const presigned = presignedQuestion(
    { path: '/box/k' },
    delivery({ nowMs: lab.store.clock.nowMs() - 60_000 }),
    60,
  );
  await send(presigned);
  await send(withParameter('X-Amz-Credential', 'x')(presigned));
  const malformed = 'malformed parameters of a signature';
  expect(warnings.map(({ why, accessKey }) => [why, accessKey])).toEqual([
    ['expired', 'owner'],
    [malformed, undefined],
  ]);
});

it.each(['x-amz-', 'x-store-'] as const)(
  'a secret in the place of the access key of a presigned URL is in no line: %s',
  async prefix => {
    const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
    const as = { ...STRANGER, accessKeyId: secret.replaceAll('/', 'a') };
    const presigned = presignedQuestion({ path: '/box/k', as }, delivery({ prefix }), 60);
    await send(presigned);
    await send({ ...presigned, path: presigned.path.replace(/credential/i, 'CREDENTIA%4C') });
    await send({ ...presigned, path: presigned.path.replace(as.accessKeyId, encodeURIComponent(secret)) });
    expect(requests).toHaveLength(3);
    expect(warnings.length).toBeGreaterThan(0);
    for (const line of [...requests, ...warnings]) {
      const text = decodeURIComponent(JSON.stringify(line));
      expect(text).not.toContain(as.accessKeyId.slice(0, 12));
      expect(text).not.toContain(secret.slice(0, 12));
    }
    expect(requests[0]?.url).toMatch(/-credential=\[redacted\]&/i);
  },
);

/** Where a credential is: in the header as it is, in a URL with its slashes encoded. */
const withCredential =
  (change: (credential: string) => string): Spoil =>
  request => ({
    ...request,
    path: request.path.replace(
      /(-Credential=)([^&]+)/,
      (_, name: string, credential: string) =>
        name + encodeURIComponent(change(decodeURIComponent(credential))),
    ),
    headers: Object.fromEntries(
      Object.entries(request.headers ?? {}).map(([name, value]) => [
        name,
        name === 'authorization' ? String(value).replace(/(?<=Credential=)[^,]+/, change) : value,
      ]),
    ),
  });

const malformed = /AuthorizationHeaderMalformed|AuthorizationQueryParametersError/;

it.each([
  ['access key', 0, /InvalidAccessKeyId/],
  ['day', 1, malformed],
  ['region', 2, malformed],
  ['service', 3, malformed],
  ['last word', 4, malformed],
] as const)(
  'a secret in the place of the %s of a credential is in no line and no answer',
  async (_part, place, code) => {
    // of Amazon S3, of Backblaze, and in hexadecimal digits
    const secrets = ['wJalrXUtnFEMIbK7MDENGabPxRfiCYEXAMPLEKEY', 'K005bPxRfiCYEXAMPLEwJalrXUtnFEM'];
    if (place > 0) secrets.push('d8e8fca2dc0f896fd7cb4cb0031ba249');
    const path = '/box/k';
    for (const secret of secrets) {
      const spoil = withCredential(credential => credential.split('/').with(place, secret).join('/'));
      for (const question of [
        signedQuestion({ path }, delivery()),
        presignedQuestion({ path }, delivery()),
      ]) {
        const { body } = await send(spoil(question));
        expect(body.toString()).toMatch(code);
        expect(body.toString()).not.toContain(secret);
      }
      expect(JSON.stringify([...requests, ...warnings])).not.toContain(secret);
    }
    expect(requests).toHaveLength(2 * secrets.length);
  },
);

it('nothing is told of a signature that is right, nor of an anonymous caller', async () => {
  await send(signedQuestion({ path: '/box/k' }, delivery()));
  await send({ method: 'GET', path: '/box/k', headers: { host: 'x' } });
  expect(warnings).toEqual([]);
  for (const line of requests) expect(line).not.toHaveProperty('why');
});

it('a flood of them gives ten warnings, then ten a minute, and tells how many were left out', async () => {
  const one = () => send(signedQuestion({ path: '/box/k', as: STRANGER }, delivery()));
  for (let count = 0; count < 40; count++) await one();
  expect(warnings).toHaveLength(10);
  clock.advance(6_000);
  await one();
  await one();
  expect(warnings).toHaveLength(11);
  expect(warnings[10]).toMatchObject({ leftOut: 30 });
  clock.advance(3_600_000);
  for (let count = 0; count < 40; count++) await one();
  expect(warnings).toHaveLength(21);
  expect(requests).toHaveLength(82);
});
