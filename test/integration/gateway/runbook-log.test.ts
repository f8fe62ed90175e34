import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RuleName } from '../../../src/alerts/rules/rule-table.ts';
import { stepsOf } from '../../../src/alerts/rules/runbook-steps.ts';
import { createLogger } from '../../../src/base/logger.ts';
import { s3Error } from '../../../src/s3/error.ts';
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
  const sink = { write: (line: string) => void lines.push(line), flush: () => undefined };
  const gateway = await TestGateway.start({ ...options, accessLog: createLogger({ level: 'info', sink }) });
  stops.unshift(() => gateway.close());
  return gateway;
}

/** What the runbook's command for a rule prints of the log: `select(.a >= 1 or .b) | {c, d}`, without absent fields. */
function printedFor(rule: RuleName): readonly Line[] {
  const command = stepsOf(rule).find(({ text }) => text.startsWith('jq ') && text.includes('.status'));
  const [, conditions = '', names = ''] = /select\((.+?)\) \| \{([\w, ]+)\}/.exec(command?.text ?? '') ?? [];
  return lines
    .map((line): Line => JSON.parse(line))
    .filter(line => conditions.split(' or ').some(condition => holds(condition, line)))
    .map(line =>
      Object.fromEntries(
        names.split(', ').flatMap(name => (line[name] === undefined ? [] : [[name, line[name]]])),
      ),
    );
}

function holds(condition: string, line: Line): boolean {
  const [, name = '', comparison, number] = /^\.(\w+)(?: (>=|==) (\d+))?$/.exec(condition) ?? [];
  const value = line[name];
  if (comparison === undefined) return value !== undefined && value !== false;
  return comparison === '==' ? value === Number(number) : Number(value) >= Number(number);
}

it.each<RuleName>(['backendErrors', 'backendErrorBurn', 'serverErrors'])(
  'the command for %s tells why a store cannot be reached',
  async rule => {
    const gateway = await start({ storeUrl: `http://127.0.0.1:${await freePort()}` });
    await gateway.get('/b/k');
    expect(printedFor(rule)).toEqual([
      expect.objectContaining({ status: 503, cause: 'ECONNREFUSED', bucket: 'b', url: '/b/k' }),
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
    expect.objectContaining({ status: 507, code: 'BadGateway', storeSaid: '<h1>Full</h1>' }),
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
    authenticate: () => ({ kind: 'client', accessKeyId: 'reporting' }),
    allows: () => false,
  });
  await gateway.get('/b/k');
  expect(printedFor('refusedSignatures')).toEqual([
    expect.objectContaining({ status: 403, code: 'AccessDenied', caller: 'reporting' }),
  ]);
});
