import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { AdminPort } from '../../../../src/admin/admin-port.ts';
import { eventsRoute } from '../../../../src/admin/events/events-route.ts';
import { eventTaker } from '../../../../src/admin/events/take-events.ts';
import { verifyMessage } from '../../../../src/admin/events/verify-message.ts';
import { silentLogger } from '../../../../src/base/logger.ts';
import type { ToldChanges } from '../../../../src/gateway/operate/store-changes.ts';
import { startAdminServer } from '../../../support/admin-server.ts';
import { askAdmin } from '../../../support/ask-admin.ts';
import { SignedTopic, TOPIC_ARN } from '../../../support/signed-topic.ts';

interface Setup {
  /** Of the port. */
  readonly token?: string;
  readonly eventsToken?: string;
  /** Whose messages have to be signed; left out: of nobody. */
  readonly signed?: SignedTopic;
  readonly topic?: 'answers' | 'fails' | 'hangs';
  /** Whether nothing is invalidated before `release` is called. */
  readonly isHeld?: boolean;
}

let server: AdminPort | undefined;

afterEach(async () => {
  await server?.close();
});

const verifyBy = (signed: SignedTopic) => (envelope: unknown) =>
  verifyMessage(envelope, { topics: [TOPIC_ARN], certificates: signed.certificates, clock: signed.clock });

/** The route over a gateway that knows the bucket `photos`; with what it was asked to do. */
async function start({ token, eventsToken, signed, topic = 'answers', isHeld = false }: Setup = {}) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  if (!isHeld) release();
  const { promise: topicAnswered, resolve: answerOfTopic } = Promise.withResolvers<void>();
  if (topic !== 'hangs') answerOfTopic();
  const told: ToldChanges[] = [];
  const confirmed: string[] = [];
  const counted: Record<string, number> = {};
  const take = eventTaker({
    invalidate: async changes => {
      told.push(changes);
      await released;
      return changes.changes.filter(({ bucket }) => bucket === 'photos').length;
    },
    confirm: async url => {
      if (topic === 'fails') throw new Error('it answered 403');
      confirmed.push(url.href);
      await topicAnswered;
    },
    count: (result, events) => {
      counted[result] = (counted[result] ?? 0) + events;
    },
  });
  const route = eventsRoute(
    { token: eventsToken, hasBackend: name => name === 'main', verify: signed && verifyBy(signed) },
    take,
  );
  const purge = { method: 'POST', path: '/api/other', handle: () => undefined } as const;
  server = await startAdminServer({
    ...{ host: '127.0.0.1', port: 0, names: [], token, logger: silentLogger(), routes: [route, purge] },
  });
  const { port } = server;
  const send = (body: unknown, headers: Record<string, string> = {}, path = '/api/events') =>
    askAdmin(port, path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { send, told, confirmed, counted, release, answerOfTopic };
}

const event = (bucket: string, key: string, eventName = 'ObjectCreated:Put') => ({
  Records: [{ eventName, s3: { bucket: { name: bucket }, object: { key } } }],
});
const change = (bucket: string, ...keys: string[]) => ({ bucket, keys, isWritten: true });
const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`store:${password}`).toString('base64')}`,
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

it('invalidates what the events name, says what became of them, and counts it', async () => {
  const { send, told, counted } = await start();
  const answer = await send([
    event('photos', 'a'),
    event('elsewhere', 'b'),
    event('photos', 'c', 's3:ObjectAccessed:Get'),
  ]);
  expect(answer.status).toBe(200);
  const results = { events: 3, invalidated: 1, unknownBucket: 1, ignored: 1, confirmed: 0 };
  expect(JSON.parse(answer.text)).toEqual(results);
  expect(told).toEqual([{ backend: undefined, changes: [change('photos', 'a'), change('elsewhere', 'b')] }]);
  expect(counted).toEqual({ invalidated: 1, 'unknown-bucket': 1, ignored: 1 });
});

it('takes them for one backend', async () => {
  const { send, told } = await start();
  expect((await send(event('photos', 'a'), {}, '/api/events?backend=main')).status).toBe(200);
  expect(told).toEqual([{ backend: 'main', changes: [change('photos', 'a')] }]);
  expect((await send(event('photos', 'a'), {}, '/api/events?backend=other')).status).toBe(404);
  expect((await send(event('photos', 'a'), {}, '/api/events?bucket=photos')).status).toBe(400);
  expect(told).toHaveLength(1);
});

it('takes nothing of a body of which a part is wrong', async () => {
  const { send, told, counted } = await start();
  const answer = await send([event('photos', 'a'), { Records: [{}] }]);
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.text).reason).toContain('Records.0.eventName');
  expect([told, counted]).toEqual([[], {}]);
  expect((await send(' '.repeat(256 * 1024 + 1))).status).toBe(413);
  expect((await send('['.repeat(200_000))).status).toBe(400);
});

const SUBSCRIBE_URL = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&Token=t';
const asked = { Type: 'SubscriptionConfirmation', SubscribeURL: SUBSCRIBE_URL };
const ofTopic = {
  'content-type': 'text/plain; charset=UTF-8',
  'x-amz-sns-message-type': 'SubscriptionConfirmation',
};

it('a topic is told that it may send; where that fails it is to ask again', async () => {
  const reached = await start();
  expect((await reached.send(asked, ofTopic)).status).toBe(200);
  expect(reached.confirmed).toEqual([SUBSCRIBE_URL]);
  await server?.close();
  const unreached = await start({ topic: 'fails' });
  const answer = await unreached.send(asked, ofTopic);
  expect(answer.status).toBe(502);
  expect(JSON.parse(answer.text).reason).toContain('it answered 403');
  expect(unreached.counted).toEqual({});
});

it('a topic that is slow to answer holds up no changes, and four are asked at a time', async () => {
  const { send, told, confirmed, answerOfTopic } = await start({ topic: 'hangs' });
  const all = Promise.all(
    Array.from({ length: 5 }, async () => {
      const { status } = await send(asked, ofTopic);
      if (status !== 503) return status;
      expect((await send([event('photos', 'a'), asked])).status).toBe(503);
      expect(confirmed).toHaveLength(4);
      answerOfTopic();
      return status;
    }),
  );
  expect((await all).toSorted()).toEqual([200, 200, 200, 200, 503]);
  expect(told).toEqual([{ backend: undefined, changes: [change('photos', 'a')] }]);
  expect((await send(asked, ofTopic)).status).toBe(200);
});

it('what a page of another site can send in a browser is refused', async () => {
  const { send, told } = await start();
  expect((await send(event('photos', 'a'), { 'content-type': 'text/plain' })).status).toBe(415);
  expect(told).toEqual([]);
});

const doors: readonly (readonly [string, Setup, Record<string, string>, number])[] = [
  ['nothing', {}, {}, 200],
  ['the token of the port', { token: 'p' }, bearer('p'), 200],
  ['the token of the port, wrong', { token: 'p' }, bearer('q'), 401],
  ['the token of the port as a password', { token: 'p' }, basic('p'), 401],
  ['none', { eventsToken: 'e' }, {}, 401],
  ['its own', { eventsToken: 'e' }, bearer('e'), 200],
  ['its own as a password', { eventsToken: 'e' }, basic('e'), 200],
  ['its own with a colon', { eventsToken: 'e:f' }, basic('e:f'), 200],
  ['a wrong password', { eventsToken: 'e' }, basic('f'), 401],
  ['no password', { eventsToken: 'e' }, { authorization: 'Basic e' }, 401],
  ['its own beside that of the port', { token: 'p', eventsToken: 'e' }, bearer('e'), 200],
  ['that of the port beside its own', { token: 'p', eventsToken: 'e' }, bearer('p'), 200],
];

it.each(doors)('with %s', async (_, setup, headers, status) => {
  const { send, told } = await start(setup);
  const answer = await send(event('photos', 'a'), headers);
  expect(answer.status).toBe(status);
  expect(told).toHaveLength(status === 200 ? 1 : 0);
  // a topic sends its password only when it is asked for in this way
  const scheme = setup.eventsToken === undefined ? 'Bearer' : 'Basic';
  if (status === 401) expect(answer.headers['www-authenticate']).toBe(`${scheme} realm="tidegate"`);
});

it('the token of events opens nothing else', async () => {
  const { send } = await start({ token: 'p', eventsToken: 'e' });
  for (const headers of [bearer('e'), basic('e')])
    expect((await send({}, headers, '/api/other')).status).toBe(401);
});

it('takes one body after the other, and refuses those beyond 32 that wait', async () => {
  const { send, told, release } = await start({ isHeld: true });
  let refused = 0;
  const sendOne = async (number: number) => {
    const { status, headers } = await send(event('photos', String(number)));
    if (status === 503 && headers['retry-after'] === '1' && ++refused === 8) {
      expect(told).toHaveLength(1);
      release();
    }
    return status;
  };
  const statuses = await Promise.all(Array.from({ length: 40 }, (_, number) => sendOne(number)));
  expect(statuses.filter(status => status === 200)).toHaveLength(32);
  expect(told).toHaveLength(32);
});

describe('where topics are listed', () => {
  const signed = new SignedTopic();
  afterAll(() => signed.remove());
  const put = event('photos', 'a');
  const forged = () => ({ ...signed.notification(put), Message: JSON.stringify(event('photos', 'b')) });

  it('what one of them has signed needs no token, and neither does the question whether it may send', async () => {
    const { send, told, confirmed } = await start({ eventsToken: 'e', signed });
    expect((await send(signed.notification(put), ofTopic)).status).toBe(200);
    expect(told).toEqual([{ backend: undefined, changes: [change('photos', 'a')] }]);
    expect((await send(signed.confirmation('SubscriptionConfirmation'), ofTopic)).status).toBe(200);
    expect(confirmed).toEqual([SUBSCRIBE_URL]);
  });

  it.each([
    ['without a token', { eventsToken: 'e' }, {}],
    ['with a token', { eventsToken: 'e' }, bearer('e')],
    ['where there are no tokens', {}, {}],
  ] as const)(
    'what is not signed so is refused with the reason, and changes nothing: %s',
    async (_, tokens, headers) => {
      const { send, told, confirmed, counted } = await start({ ...tokens, signed });
      const asking = {
        ...signed.confirmation('SubscriptionConfirmation'),
        SubscribeURL: SUBSCRIBE_URL.replace('=t', '=u'),
      };
      for (const body of [forged(), asking, asked, { Type: 'Notification', Message: JSON.stringify(put) }]) {
        const answer = await send(body, { ...ofTopic, ...headers });
        expect(answer.status).toBe(403);
        expect(JSON.parse(answer.text)).toMatchObject({
          error: 'NOT_SIGNED',
          reason: expect.stringContaining('not signed'),
        });
      }
      expect([told, confirmed, counted]).toEqual([[], [], {}]);
    },
  );

  it('records beside what is signed count for nothing', async () => {
    const { send, told } = await start({ eventsToken: 'e', signed });
    const body = { ...signed.notification(put), ...event('photos', 'b'), 'detail-type': 'Object Created' };
    expect((await send(body, ofTopic)).status).toBe(200);
    expect(told).toEqual([{ backend: undefined, changes: [change('photos', 'a')] }]);
  });

  it.each([
    ['records', put],
    ['an envelope in a list', [signed.notification(put)]],
    ['nothing', null],
  ])('the field of a topic opens the door to no others: %s', async (_, body) => {
    const { send, told } = await start({ eventsToken: 'e', signed });
    const answer = await send(body, ofTopic);
    expect(answer.status).toBe(401);
    // a topic whose messages come raw sends its password then
    expect(answer.headers['www-authenticate']).toBe('Basic realm="tidegate"');
    expect(told).toEqual([]);
  });

  it('what is no envelope needs the token as ever, and an envelope in a list is not looked into', async () => {
    const { send, told } = await start({ eventsToken: 'e', signed });
    expect((await send(put)).status).toBe(401);
    expect((await send(put, { ...ofTopic, ...bearer('e') })).status).toBe(200);
    expect(told).toHaveLength(1);
    const listed = await send([put, signed.notification(put)], bearer('e'));
    expect([listed.status, JSON.parse(listed.text).reason]).toEqual([
      400,
      'the envelope of a topic comes alone',
    ]);
    expect(told).toHaveLength(1);
  });

  it('an envelope is one without the field of topics, too', async () => {
    const { send, told } = await start({ eventsToken: 'e', signed });
    const refused = await send(forged());
    expect([refused.status, JSON.parse(refused.text).error]).toEqual([403, 'NOT_SIGNED']);
    expect(told).toEqual([]);
    expect((await send(signed.notification(put))).status).toBe(200);
    expect(told).toEqual([{ backend: undefined, changes: [change('photos', 'a')] }]);
    const asText = { 'content-type': 'text/plain' };
    expect((await send(signed.notification(put), asText)).status).toBe(401);
    expect((await send(signed.notification(put), { ...asText, ...bearer('e') })).status).toBe(415);
  });

  it('strangers do not learn which backends there are', async () => {
    const { send } = await start({ eventsToken: 'e', signed });
    for (const backend of ['main', 'other'])
      expect((await send(forged(), ofTopic, `/api/events?backend=${backend}`)).status).toBe(403);
    expect((await send(signed.notification(put), ofTopic, '/api/events?backend=other')).status).toBe(404);
  });

  it('a stranger reaches no other route by the field of a topic', async () => {
    const { send } = await start({ token: 'p', eventsToken: 'e', signed });
    expect((await send(signed.notification(put), ofTopic, '/api/other')).status).toBe(401);
  });
});

it('where none are listed, the field of a topic is no token', async () => {
  const { send, told } = await start({ eventsToken: 'e' });
  expect((await send({ Type: 'Notification', Message: '{"Records":[]}' }, ofTopic)).status).toBe(401);
  // before the body is read
  expect((await send(' '.repeat(256 * 1024 + 1), ofTopic)).status).toBe(401);
  expect(told).toEqual([]);
});
