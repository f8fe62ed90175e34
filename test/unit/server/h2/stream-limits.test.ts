import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import { expect, it } from 'vitest';
import type { HttpListenerOptions } from '../../../../src/server/http-listener.ts';
import { defaultLimits } from '../../../support/client-limits.ts';
import { answerOf, listenSecurely, openSession } from '../../../support/secure-listener.ts';
import { turnsUntil } from '../../../support/turns-until.ts';

/** A listener whose answers wait, at most two at a time unless `limits` say otherwise. */
async function waitingListener(limits = { ...defaultLimits, requests: 4 }) {
  const waiting: ServerResponse[] = [];
  let over = 0;
  const handle: HttpListenerOptions['handle'] = (_request, response) => {
    waiting.push(response);
    response.once('close', () => over++);
  };
  const listener = await listenSecurely(handle, { limits });
  const release = () => {
    for (const response of waiting.splice(0)) response.end('done');
  };
  /** Waits until so many streams are over for the server, too. */
  const isOver = (count: number) => turnsUntil(`${count} streams are over`, () => over === count);
  return { listener, waiting, release, isOver };
}

const ask = (session: ClientHttp2Session, path = '/') => session.request({ ':path': path });

async function resetCodeOf(stream: ClientHttp2Stream): Promise<number> {
  stream.on('error', () => undefined);
  await new Promise(resolve => stream.once('close', resolve));
  return stream.rstCode;
}

const statusOf = async (stream: ClientHttp2Stream) => (await answerOf(stream)).headers[':status'];

it('streams that are over, answered or left, give their places to those that follow', async () => {
  const { listener, waiting, release, isOver } = await waitingListener();
  const session = await openSession(listener);
  let over = 0;
  for (let round = 0; round < 3; round++) {
    const streams = [ask(session), ask(session)];
    await turnsUntil('both wait', () => waiting.length === 2);
    expect(await resetCodeOf(ask(session))).toBe(constants.NGHTTP2_REFUSED_STREAM);
    if (round === 1) {
      for (const stream of streams) stream.on('error', () => undefined).close(constants.NGHTTP2_CANCEL);
    }
    release();
    if (round !== 1) expect(await Promise.all(streams.map(statusOf))).toEqual([200, 200]);
    over += 2;
    await isOver(over);
  }
});

it('the streams of all sessions of a client count together', async () => {
  const { listener, waiting, release } = await waitingListener();
  const [one, other] = [await openSession(listener), await openSession(listener)];
  const streams = [ask(one), ask(other)];
  await turnsUntil('both wait', () => waiting.length === 2);
  expect(await resetCodeOf(ask(one))).toBe(constants.NGHTTP2_REFUSED_STREAM);
  release();
  expect(await Promise.all(streams.map(statusOf))).toEqual([200, 200]);
});

it('a limit that is changed holds for open sessions', async () => {
  const { listener, waiting, release } = await waitingListener(defaultLimits);
  const session = await openSession(listener);
  const streams = [1, 2, 3].map(() => ask(session));
  await turnsUntil('all wait', () => waiting.length === 3);
  listener.limit({ ...defaultLimits, requests: 6 }, undefined);
  expect(await resetCodeOf(ask(session))).toBe(constants.NGHTTP2_REFUSED_STREAM);
  listener.limit({ ...defaultLimits, requests: 8 }, undefined);
  streams.push(ask(session));
  await turnsUntil('all wait', () => waiting.length === 4);
  release();
  expect(await Promise.all(streams.map(statusOf))).toEqual([200, 200, 200, 200]);
});

it('many requests in one read are handled in their order, those that wait sixteen at a time', async () => {
  const [paths, turns] = [[] as (string | undefined)[], [] as number[]];
  let inTurn = 0;
  const listener = await listenSecurely((request, response) => {
    paths.push(request.url);
    // runs after those that are handled at a time
    if (inTurn++ === 0)
      queueMicrotask(() => {
        turns.push(inTurn);
        inTurn = 0;
      });
    response.end();
  });
  const session = await openSession(listener);
  const asked = Array.from({ length: 60 }, (_, index) => `/${index}`);
  await Promise.all(asked.map(path => statusOf(ask(session, path))));
  expect(paths).toEqual(asked);
  expect(Math.max(...turns)).toBe(16);
});

it('a request that is reset before its turn is not handled', async () => {
  const paths: (string | undefined)[] = [];
  const listener = await listenSecurely((request, response) => {
    paths.push(request.url);
    response.end();
  });
  const session = await openSession(listener);
  const asked = Array.from({ length: 40 }, (_, index) => ask(session, `/${index}`));
  const [kept, left] = [asked.slice(0, 20), asked.slice(20)];
  const resets = left.map(stream => {
    const code = resetCodeOf(stream);
    stream.close(constants.NGHTTP2_CANCEL);
    return code;
  });
  await Promise.all(kept.map(statusOf));
  await Promise.all(resets);
  await statusOf(ask(session, '/last'));
  expect(paths).toEqual([...Array.from({ length: 20 }, (_, index) => `/${index}`), '/last']);
});

it('a few hundred resets in rapid succession are enough to end the session', async () => {
  const listener = await listenSecurely((_request, response) => void response.end());
  const session = await openSession(listener);
  const closed = new Promise(resolve => session.once('close', resolve));
  let resets = 0;
  const flood = () => {
    if (session.destroyed || resets >= 450) return;
    for (let stream = 0; stream < 50 && !session.destroyed; stream++, resets++)
      ask(session)
        .on('error', () => undefined)
        .close(constants.NGHTTP2_CANCEL);
    setImmediate(flood);
  };
  flood();
  await closed;
});

it.each([
  ['PING', (session: ClientHttp2Session) => session.ping(() => undefined)],
  ['SETTINGS', (session: ClientHttp2Session) => session.settings({ enablePush: false })],
])('hundreds of %s frames, which only have to be acknowledged, end the session', async (_, send) => {
  const listener = await listenSecurely((_request, response) => void response.end());
  const session = await openSession(listener, { maxOutstandingPings: 2_000, maxOutstandingSettings: 2_000 });
  const closed = once(session, 'close');
  const flood = () => {
    for (let frame = 0; frame < 50 && !session.destroyed; frame++) send(session);
  };
  // below what nghttp2 itself allows to wait for an answer
  for (let round = 0; round < 12; round++) {
    flood();
    await new Promise(resolve => setImmediate(resolve));
  }
  await closed;
});

it('tells clients how much of a body they may send, how many streams they may open, and the size of a list', async () => {
  const { listener } = await waitingListener();
  const session = await openSession(listener);
  if (session.pendingSettingsAck) await once(session, 'localSettings');
  expect(session.remoteSettings).toMatchObject({
    ...{ initialWindowSize: 256 * 1024, maxConcurrentStreams: 100 },
    maxHeaderListSize: defaultLimits.headersBytes,
  });
});

it('a list of many fields that is not too long is taken', async () => {
  const listener = await listenSecurely((request, response) => {
    response.end(String(Object.keys(request.headers).length));
  });
  const fields = Object.fromEntries(Array.from({ length: 700 }, (_, index) => [`a${index}`, '']));
  const session = await openSession(listener);
  const { headers, body } = await answerOf(session.request({ ':path': '/', ...fields }));
  expect([headers[':status'], body.toString()]).toEqual([200, '701']);
});
