import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Channel } from '../../../../src/admin/channel/channel.ts';
import { createLocalIssuer, type LocalIssuer } from '../../../../src/admin/channel/local-issuer.ts';
import { pressButton } from '../../../../src/admin/channel/press-button.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { everythingCard } from '../../../support/posted-cards.ts';

interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const calls: Call[] = [];
let answer: (response: ServerResponse) => void;
let server: Server;
let origin: string;
let issuer: LocalIssuer;
let channel: Channel;

beforeEach(async () => {
  calls.length = 0;
  server = createServer((request, response) => {
    let body = '';
    request
      .on('data', chunk => (body += chunk))
      .on('end', () => {
        calls.push({ headers: request.headers, body });
        answer(response);
      });
  });
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no address');
  origin = `http://127.0.0.1:${address.port}`;
  issuer = await createLocalIssuer({
    issuer: 'i',
    audience: 'a',
    appId: 'app',
    subject: 'ada',
    clock: systemClock,
  });
  channel = new Channel(systemClock);
  const json = JSON.stringify(everythingCard).replaceAll('http://127.0.0.1:9', origin);
  channel.receive('application/json', Buffer.from(json));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const press = (action: readonly number[], inputs: Record<string, string> = {}) =>
  pressButton(channel, { issuer, origin }, { message: 1, action, inputs });

it('calls the target with a bearer token that carries who pressed it (docs/cards.md, HttpPOST callback)', async () => {
  answer = response => void response.writeHead(200, { 'card-action-status': 'Acknowledged.' }).end();
  expect(await press([0])).toEqual({ kind: 'done', status: 'Acknowledged.' });
  const [call] = calls;
  const token = call?.headers.authorization?.replace('Bearer ', '') ?? '';
  const { payload } = await jwtVerify(token, createLocalJWKSet(issuer.keys), { issuer: 'i', audience: 'a' });
  expect(payload).toMatchObject({ sub: 'ada', appid: 'app' });
  expect(call?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  expect(call?.body).toBe('token=abc');
});

it('fills in what was entered, escaped for the body', async () => {
  answer = response => void response.end();
  await press([1, 0], { duration: '3600000', why: 'a & b = {{c.value}}' });
  expect(calls[0]?.body).toBe(
    'token=def&duration=3600000&until=&why=a%20%26%20b%20%3D%20%7B%7Bc.value%7D%7D',
  );
});

it('fills in nothing for what was not entered, whatever every object has', async () => {
  answer = response => void response.end();
  const body = JSON.stringify({ said: '{{constructor.value}}{{__proto__.value}}{{toString.value}}.' });
  const potentialAction = [
    { '@type': 'HttpPOST', name: 'Say', target: origin, bodyContentType: 'application/json', body },
  ];
  channel.receive('application/json', Buffer.from(JSON.stringify({ ...everythingCard, potentialAction })));
  const outcome = await pressButton(channel, { issuer, origin }, { message: 2, action: [0], inputs: {} });
  expect(outcome.kind).toBe('done');
  expect(calls[0]?.body).toBe('{"said":"."}');
});

it('puts the answer in the place of the card where it says so', async () => {
  const updated = { ...everythingCard, title: 'Ada has it in hand' };
  answer = response =>
    void response.writeHead(200, { 'card-update-in-body': 'true' }).end(JSON.stringify(updated));
  await press([0]);
  expect(channel.messages()[0]).toMatchObject({ refreshedAtMs: expect.any(Number) });
  expect(channel.connectorCard(1)?.title).toBe('Ada has it in hand');
});

it('leaves the card as it is when the target refuses, and tells why', async () => {
  answer = response => {
    response.writeHead(409, { 'card-action-status': 'Used before.', 'card-update-in-body': 'true' });
    response.end(JSON.stringify(everythingCard));
  };
  expect(await press([0])).toEqual({ kind: 'failed', status: 'Used before.' });
  expect(channel.messages()[0]).not.toHaveProperty('refreshedAtMs');
});

it('calls nothing but the callbacks, and only buttons that are there', async () => {
  answer = response => void response.end();
  const elsewhere = { issuer, origin: 'http://127.0.0.1:1' };
  const outcomes = [
    await pressButton(channel, elsewhere, { message: 1, action: [0], inputs: {} }),
    await press([2]),
    await press([9]),
    await press([1]),
    await pressButton(channel, { issuer, origin }, { message: 7, action: [0], inputs: {} }),
  ];
  expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => 'failed'));
  expect(calls).toEqual([]);
});

it('says so when the target cannot be reached', async () => {
  answer = response => void response.destroy();
  expect(await press([0])).toMatchObject({
    kind: 'failed',
    status: expect.stringContaining('could not be reached'),
  });
});
