import { EventEmitter, once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { runProgram } from '../../../src/cli/program.ts';

let server: Server;
let admin: string;
let status: number;
let answer: string;
let asked: { request: string; token: string | undefined; body: string }[];

/** An admin port that answers `status` and notes what it is asked. */
beforeEach(async () => {
  status = 200;
  answer = '{"objects":1}';
  asked = [];
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push({ request: `${request.method} ${request.url}`, token: request.headers.authorization, body });
    response.writeHead(status).end(answer);
  });
  await once(server.listen(0, '::'), 'listening');
  const address = server.address();
  admin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
});

afterEach(() => {
  server.close();
  server.closeAllConnections();
});

async function run(...args: readonly string[]) {
  return await runAt(admin, ...args);
}

async function runAt(address: string, ...args: readonly string[]) {
  const lines: string[] = [];
  const errors: string[] = [];
  const end = await runProgram([...args, '--admin', address], {
    version: '1.2.3',
    environment: {},
    serve: async () => undefined,
    serveStore: async () => undefined,
    clock: systemClock,
    signals: new EventEmitter(),
    build: async () => undefined,
    connect: async () => ({ backends: new Map(), queue: [] }),
    print: line => void lines.push(line),
    printError: line => void errors.push(line),
  });
  const [out, told] = [lines.join('\n'), errors.join('\n')];
  return { end, out, errors: told, text: out + told };
}

it.each([
  [['purge', 'b'], '{"bucket":"b"}'],
  [['purge', 'b', 'k', '--soft'], '{"bucket":"b","key":"k","soft":true}'],
  [['purge', 'b', '--prefix', 'p/'], '{"bucket":"b","prefix":"p/"}'],
  [['purge', '--tag', 't'], '{"tag":"t"}'],
])('%j asks for exactly that', async (args, body) => {
  const { end, text } = await run(...args);
  expect(asked).toEqual([{ request: 'POST /api/purge', token: undefined, body }]);
  expect(text).toBe('{\n  "objects": 1\n}');
  expect(end).toEqual({ kind: 'ended', exitCode: 0 });
});

it.each([
  [['b', '/b/k'], ": a key does not begin with its bucket; did you mean 'k'?"],
  [['b', '/b/'], ': a key does not begin with its bucket; for all keys leave it out'],
  [['b', '--prefix', 'b/m/'], ": a key does not begin with its bucket; did you mean 'm/'?"],
  [['b', '/k'], `: at a store only keys with two "/" in their URL begin with one; did you mean 'k'?`],
  [['b', '/'], ': at a store only keys with two "/" in their URL begin with one; for all keys leave it out'],
  [['b', 'm/*'], `: "*" is a character like any other; for all keys that begin alike, --prefix 'm/'`],
  [['b', '*'], ': "*" is a character like any other; for all keys leave the key out'],
  [
    ['b', "/$(id)'`id`"],
    `: at a store only keys with two "/" in their URL begin with one; did you mean '$(id)'\\''\`id\`'?`,
  ],
  [
    ['b', '/\u001b[2J'],
    `: at a store only keys with two "/" in their URL begin with one; did you mean '\\u001b[2J'?`,
  ],
])('says what may be wrong with %j where nothing was purged', async (args, hint) => {
  answer = '{"objects":0,"bytes":0}';
  const { end, out, errors } = await run('purge', ...args);
  expect(end).toEqual({ kind: 'ended', exitCode: 0 });
  // what reads the output gets the answer alone
  expect(JSON.parse(out)).toEqual({ objects: 0, bytes: 0 });
  expect(errors).toBe(`nothing of that name was held${hint}`);
});

it.each([
  [['b', '/b/k'], '{"objects":1,"bytes":0}'],
  [['b', '/b/k'], '{"counted":"pending"}'],
  [['b', 'k'], '{"objects":0,"bytes":0}'],
  [['/', '/docs/a'], '{"objects":0,"bytes":0}'],
  [['b'], '{"objects":0,"bytes":0}'],
])('says no more where %j is answered %s', async (args, answered) => {
  answer = answered;
  expect((await run('purge', ...args)).errors).toBe('');
});

it('explain asks for the object, whatever its key looks like, and sends the token', async () => {
  await run('explain', 'b', 'a+b/c?d', '--token', 's3cret');
  expect(asked).toEqual([
    { request: 'GET /api/object?bucket=b&key=a%2Bb%2Fc%3Fd', token: 'Bearer s3cret', body: '' },
  ]);
});

it('card --send has the running gateway post the card', async () => {
  status = 202;
  const { end } = await run('card', 'backendErrors', '--send');
  expect(end).toEqual({ kind: 'ended', exitCode: 0 });
  expect(asked).toEqual([
    { request: 'POST /api/alerts/test', token: undefined, body: '{"rule":"backendErrors"}' },
  ]);
});

it('takes address and token from the environment, and shows the token in no help', async () => {
  const environment = { TIDEGATE_ADMIN: admin, TIDEGATE_ADMIN_TOKEN: 's3cret' };
  const lines: string[] = [];
  const options = {
    version: '1.2.3',
    environment,
    serve: async () => undefined,
    serveStore: async () => undefined,
    clock: systemClock,
    signals: new EventEmitter(),
    build: async () => undefined,
    connect: async () => ({ backends: new Map(), queue: [] }),
    print: (line: string) => void lines.push(line),
    printError: (line: string) => void lines.push(line),
  };
  await runProgram(['purge', 'b'], options);
  expect(asked[0]?.token).toBe('Bearer s3cret');
  await runProgram(['purge', '--help'], options);
  expect(lines.join()).not.toContain('s3cret');
});

it.each(['127.0.0.1', 'localhost', '[::1]'])(
  'finds the admin port on %s, with and without scheme',
  async host => {
    const { port } = new URL(admin);
    for (const address of [`${host}:${port}`, `http://${host}:${port}`, `HTTP://${host}:${port}/`]) {
      const { end, text } = await runAt(address, 'explain', 'b', 'k');
      expect(end, `${address}: ${text}`).toEqual({ kind: 'ended', exitCode: 0 });
    }
    expect(asked).toHaveLength(3);
  },
);

/** What a terminal would obey, as names that strangers choose may hold it: escape, C1 controls, direction, halves. */
const obeyed = '\u001b[2J\u009b1m\u202e\u200b\u0000\ud800';

it('explain shows names with control characters, and no control character', async () => {
  answer = JSON.stringify({ key: `a${obeyed}b ü\n` });
  const { end, text } = await run('explain', 'b', 'k');
  expect(end).toEqual({ kind: 'ended', exitCode: 0 });
  expect(JSON.parse(text)).toEqual({ key: `a${obeyed}b ü\n` });
  expect(text).toContain('a\\u001b[2J\\u009b1m\\u202e\\u200b\\u0000\\ud800b ü');
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

it.each([200, 404])('quotes what is no JSON in one line without control characters (%i)', async refusal => {
  status = refusal;
  answer = `<Error>\n${obeyed}`;
  const { end, text } = await run('explain', 'b', 'k');
  expect(end).toEqual({ kind: 'ended', exitCode: 1 });
  expect(text).toContain(
    `${admin} is not the admin port of a gateway: it answered ${refusal} <Error> \\u001b[2J`,
  );
  expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

it('says that a card reaches nobody where no webhook is configured', async () => {
  answer = '{"rule":"backendErrors","webhooks":[]}';
  const { end, text } = await run('card', 'backendErrors', '--send');
  expect(end).toEqual({ kind: 'ended', exitCode: 1 });
  expect(text).toBe('tidegate: no webhook is configured (alerts.webhooks): nobody was told');
});

it('ends with 1 and what the port said when it refuses', async () => {
  status = 404;
  const { end, text } = await run('purge', 'b');
  expect(end).toEqual({ kind: 'ended', exitCode: 1 });
  expect(text).toBe('tidegate: the admin port answered 404: {"objects":1}');
});

it('says how a token is given where one is missing', async () => {
  status = 401;
  answer = JSON.stringify({ reason: 'the bearer token of admin.token is missing or wrong' });
  const { text } = await run('purge', 'b');
  expect(text).toMatch(/is missing or wrong; give it with --token, or in TIDEGATE_ADMIN_TOKEN$/);
});

it('says the reason that the port gave', async () => {
  status = 404;
  answer = JSON.stringify({ error: 'UNKNOWN_BUCKET', reason: 'no bucket of this name is configured' });
  const { end, text } = await run('explain', 'nobucket', 'k');
  expect(end).toEqual({ kind: 'ended', exitCode: 1 });
  expect(text).toBe('tidegate: the admin port answered 404: no bucket of this name is configured');
});

it('says that the port speaks no TLS', async () => {
  const address = admin.replace('http:', 'https:');
  const { end, text } = await runAt(address, 'explain', 'b', 'k');
  expect(end).toEqual({ kind: 'ended', exitCode: 1 });
  expect(text).toMatch(
    /^tidegate: the admin port \S+ does not answer: it does not speak TLS there; is it http\? \(ERR_SSL_\w+\)$/,
  );
});

it('ends with 1 when nobody listens', async () => {
  server.close();
  await once(server, 'close');
  const { end, text } = await run('purge', 'b');
  expect(end).toEqual({ kind: 'ended', exitCode: 1 });
  expect(text).toBe(
    `tidegate: the admin port ${admin} does not answer: nothing listens there (ECONNREFUSED)`,
  );
});
