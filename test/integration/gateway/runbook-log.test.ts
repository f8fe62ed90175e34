import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RuleName } from '../../../src/alerts/rules/rule-table.ts';
import { type RunbookStep, stepsOf, writeSteps } from '../../../src/alerts/rules/runbook-steps.ts';
import { s3Error } from '../../../src/s3/error.ts';
import { accessLogTo } from '../../support/access-log-to.ts';
import { clientCalled } from '../../support/callers.ts';
import { freePort } from '../../support/real-process.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';

type Line = Readonly<Record<string, unknown>>;

let lines: string[];
let stops: (() => Promise<unknown>)[];

beforeEach(() => {
  lines = [];
  stops = [];
});

afterEach(async () => {
  for (const stop of stops) await stop();
});

async function start(options: TestGatewayOptions): Promise<TestGateway> {
  const accessLog = accessLogTo(line => void lines.push(line));
  const gateway = await TestGateway.start({ ...options, accessLog });
  stops.unshift(() => gateway.close());
  return gateway;
}

/** What the runbook's command for a rule prints of the log: `select(.a >= 1 or .b) | {c, d}`, without absent fields. */
function printedFor(rule: RuleName): readonly Line[] {
  return printedBy(stepsOf(rule).find(({ text }) => text.startsWith('jq ') && text.includes('.status')));
}

function printedBy(command: RunbookStep | undefined): readonly Line[] {
  const [, conditions = '', names = ''] = /select\((.+?)\) \| \{([\w, ]+)\}/.exec(command?.text ?? '') ?? [];
  return lines
    .map((line): Line => JSON.parse(line))
    .filter(line => conditions.split(' and ').every(each => holdsOneOf(each, line)))
    .map(line =>
      Object.fromEntries(
        names.split(', ').flatMap(name => (line[name] === undefined ? [] : [[name, line[name]]])),
      ),
    );
}

function holdsOneOf(conditions: string, line: Line): boolean {
  const [, inner = conditions] = /^\((.*)\)$/.exec(conditions) ?? [];
  return inner.split(' or ').some(condition => holds(condition, line));
}

function holds(condition: string, line: Line): boolean {
  const [, name = '', comparison, wanted = ''] = /^\.(\w+)(?: (>=|==) (\d+|"\w+"))?$/.exec(condition) ?? [];
  const value = line[name];
  if (comparison === undefined) return value !== undefined && value !== false;
  return comparison === '==' ? value === JSON.parse(wanted) : Number(value) >= JSON.parse(wanted);
}

it.each<RuleName>(['backendErrors', 'backendErrorBurn', 'serverErrors'])(
  'the command for %s tells why a store cannot be reached',
  async rule => {
    const gateway = await start({ storeUrl: `http://127.0.0.1:${await freePort()}` });
    await gateway.get('/b/k');
    expect(printedFor(rule)).toEqual([
      expect.objectContaining({
        status: 503,
        backend: expect.any(String),
        cause: 'ECONNREFUSED',
        bucket: 'b',
      }),
    ]);
  },
);

it('the command for failed requests shows the error page of a store', async () => {
  const store = await StandInStore.start();
  stops.push(() => store.close());
  const gateway = await start({ storeUrl: store.url });
  store.faults.next(
    { kind: 'answer', status: 507, body: '<h1>Full</h1>', headers: { 'content-type': 'text/html' } },
    1,
  );
  await gateway.get('/b/k');
  expect(printedFor('backendErrors')).toEqual([
    expect.objectContaining({
      status: 507,
      code: 'BadGateway',
      storeSaid: '<h1>Full</h1>',
      cause: 'STATUS_507',
    }),
  ]);
});

it.each([
  ['SignatureDoesNotMatch', 403],
  ['AuthorizationHeaderMalformed', 400],
] as const)(
  'the command for refused signatures tells who sent one and why it was refused: %s',
  async (code, status) => {
    const gateway = await start({
      storeUrl: `http://127.0.0.1:${await freePort()}`,
      authenticate: () => {
        throw s3Error(code);
      },
    });
    const scope = '20260101/us-east-1/s3/aws4_request';
    const authorization = `AWS4-HMAC-SHA256 Credential=reporting/${scope}, SignedHeaders=host, Signature=0`;
    await gateway.get('/b/k', { authorization });
    expect(printedFor('refusedSignatures')).toEqual([
      expect.objectContaining({ status, code, client: '127.0.0.1', accessKey: 'reporting', why: code }),
    ]);
  },
);

it('the command for refused signatures tells who lacks a right', async () => {
  const gateway = await start({
    storeUrl: `http://127.0.0.1:${await freePort()}`,
    authenticate: () => clientCalled('reporting'),
    allows: () => false,
  });
  await gateway.get('/b/k');
  expect(printedFor('refusedSignatures')).toEqual([
    expect.objectContaining({
      status: 403,
      code: 'AccessDenied',
      caller: 'reporting',
      reason: 'no grant for GetObject',
    }),
  ]);
});

it('the commands about writes tell which grant was missing, and of which writes the outcome is not known', async () => {
  const gateway = await start({
    storeUrl: `http://127.0.0.1:${await freePort()}`,
    authenticate: () => clientCalled('reporting'),
    allows: (_caller, _bucket, action) => action !== 'PutObjectAcl',
  });
  const empty = { 'content-length': '0' };
  await gateway.send('PUT', '/b/k', { ...empty, 'x-amz-acl': 'public-read' });
  await gateway.send('PUT', '/b/other', empty);
  await gateway.get('/b/k');
  const [refused, stuck, unknown] = writeSteps.filter(({ text }) => text.startsWith('jq '));
  expect([refused, stuck, unknown].map(printedBy)).toEqual([
    [expect.objectContaining({ url: '/b/k', caller: 'reporting', reason: 'no grant for PutObjectAcl' })],
    [],
    [expect.objectContaining({ url: '/b/other', status: 503, cause: 'ECONNREFUSED' })],
  ]);
});

it('the line of a failed request names the backend, for the first read of a URL and for a memoised one', async () => {
  const store = await StandInStore.start();
  stops.push(() => store.close());
  const gateway = await start({ storeUrl: store.url, store: { name: 'archive' } });
  store.faults.next({ kind: 'answer', status: 503, body: '<h1>Later</h1>', headers: {} }, 100);
  await gateway.get('/b/k');
  await gateway.get('/b/k');
  const logged = lines.map(line => JSON.parse(line));
  expect(logged.map(({ status, backend, cause }) => [status, backend, cause])).toEqual(
    Array(2).fill([503, 'archive', 'STATUS_503']),
  );
});

it('names no backend where no store is at fault', async () => {
  const store = await StandInStore.start();
  stops.push(() => store.close());
  const gateway = await start({ storeUrl: store.url });
  await gateway.get('/b/missing');
  await gateway.get('/nobucket/k');
  expect(lines.map(line => JSON.parse(line).status)).toEqual([404, 404]);
  for (const line of lines) expect(JSON.parse(line)).not.toHaveProperty('backend');
});
