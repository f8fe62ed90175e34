import { type IncomingHttpHeaders, request } from 'node:http';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contentMd5 } from '../support/content-md5.ts';
import { OWNER, StoreUnderTest } from '../support/embedded-store/store-under-test.ts';
import { SlowStore } from '../support/slow-store.ts';
import { TestGateway } from '../support/test-gateway.ts';

/** What one key is after each write to it; `gone` after a deletion. Each writer has its key for itself. */
class History {
  readonly states: string[] = ['gone'];
  /** How many writes have been answered. */
  answered = 0;
}

interface Step {
  readonly kind: 'put' | 'copy' | 'upload' | 'delete' | 'delete objects' | 'get' | 'head';
  readonly key: number;
  readonly worker: number;
}

const KEYS = 2;

/** Readers of any key, and a writer for each. A writer also reads what it has just written. */
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('put', 'copy', 'upload', 'delete', 'delete objects', 'get', 'get', 'get', 'head'),
  key: fc.nat(KEYS - 1),
  worker: fc.nat(1),
});
const actor = fc.array(step, { minLength: 4, maxLength: 14 });

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly worker: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Told {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Rejects for refusals other than 404. */
function ask(gateway: TestGateway, { method, path, worker, headers = {}, body }: Asked): Promise<Told> {
  const { port, hostname } = new URL(gateway.url(worker % gateway.gateways.length));
  const { promise, resolve, reject } = Promise.withResolvers<Told>();
  const sent = request({ host: hostname, port, method, path, headers, agent: false }, answer => {
    let told = '';
    answer.on('data', chunk => {
      told += chunk;
    });
    answer.on('error', reject);
    answer.on('end', () => {
      const { statusCode: status = 0 } = answer;
      if (status !== 404 && status >= 300) reject(new Error(`${method}: ${status} ${told}`));
      else resolve({ status, headers: answer.headers, body: told });
    });
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

/** Writes to a key, by its kind: the last request is the one that changes the object. */
const writes = {
  put: (gateway, { path, worker, content }) => ask(gateway, { method: 'PUT', path, worker, body: content }),
  copy: async (gateway, { path, worker, content }) => {
    const source = `${path}-source`;
    await ask(gateway, { method: 'PUT', path: source, worker, body: content });
    const headers = { 'x-amz-copy-source': source };
    return ask(gateway, { method: 'PUT', path, worker, headers });
  },
  upload: async (gateway, { path, worker, content }) => {
    const created = await ask(gateway, { method: 'POST', path: `${path}?uploads`, worker });
    const id = /<UploadId>(.*?)<\/UploadId>/.exec(created.body)?.[1];
    const part = `${path}?partNumber=1&uploadId=${id}`;
    const { headers } = await ask(gateway, { method: 'PUT', path: part, worker, body: content });
    const listed = `<PartNumber>1</PartNumber><ETag>${headers.etag?.replaceAll('"', '&quot;')}</ETag>`;
    const body = `<CompleteMultipartUpload><Part>${listed}</Part></CompleteMultipartUpload>`;
    return ask(gateway, { method: 'POST', path: `${path}?uploadId=${id}`, worker, body });
  },
  delete: (gateway, { path, worker }) => ask(gateway, { method: 'DELETE', path, worker }),
  'delete objects': (gateway, { path, worker }) => {
    const listed = ['other', path.slice('/b/'.length)].map(key => `<Object><Key>${key}</Key></Object>`);
    const body = `<Delete>${listed.join('')}</Delete>`;
    return ask(gateway, { method: 'POST', path: '/b?delete', worker, body, headers: contentMd5(body) });
  },
} as const satisfies Record<
  string,
  (gateway: TestGateway, target: { path: string; worker: number; content: string }) => Promise<Told>
>;

function isWrite(kind: Step['kind']): kind is keyof typeof writes {
  return kind in writes;
}

async function write(
  gateway: TestGateway,
  history: History,
  kind: keyof typeof writes,
  step: Step,
): Promise<void> {
  const number = history.states.length;
  // the length tells the version
  history.states.push(kind.startsWith('delete') ? 'gone' : `v${number}`);
  await writes[kind](gateway, { path: `/b/k${step.key}`, worker: step.worker, content: 'x'.repeat(number) });
  history.answered = number;
}

/** The state that a read shows. */
async function stateOf(gateway: TestGateway, { kind, key, worker }: Step): Promise<string> {
  const method = kind === 'head' ? 'HEAD' : 'GET';
  const { status, headers, body } = await ask(gateway, { method, path: `/b/k${key}`, worker });
  if (status === 404) return 'gone';
  return `v${kind === 'head' ? headers['content-length'] : body.length}`;
}

async function read(gateway: TestGateway, history: History, step: Step): Promise<void> {
  const { answered } = history;
  const seen = await stateOf(gateway, step);
  const possible = history.states.slice(answered);
  expect(possible, `after ${answered} of ${history.states}`).toContain(seen);
}

/** Runs all actors at the same time; the first `KEYS` of them write, each its own key. */
async function run(gateway: TestGateway, actors: readonly (readonly Step[])[]): Promise<void> {
  const histories = Array.from({ length: KEYS }, () => new History());
  const act = async (steps: readonly Step[], index: number) => {
    for (const each of steps) {
      const own = histories[index];
      const read1 = histories[each.key];
      if (isWrite(each.kind) && own) {
        await write(gateway, own, each.kind, { ...each, key: index });
        await read(gateway, own, { kind: 'get', key: index, worker: each.worker + 1 });
      } else if (read1) await read(gateway, read1, { ...each, kind: each.kind === 'head' ? 'head' : 'get' });
    }
  };
  await Promise.all(actors.map(act));
}

const actors = fc.array(actor, { minLength: KEYS, maxLength: 6 });

it.each([1, 2])(
  'law 5 with %d workers: after a write was answered nobody reads what was before',
  async workers => {
    await fc.assert(
      fc.asyncProperty(actors, fc.array(fc.nat(6), { minLength: 1 }), async (histories, delays) => {
        let turn = 0;
        const next = () => delays[turn++ % delays.length] ?? 0;
        const store = await SlowStore.start(() => ({ effectMs: next(), answerMs: next() }));
        const gateway = await TestGateway.start({
          storeUrl: store.url,
          workers,
          arenaBytes: 16 * 1024 * 1024,
        });
        try {
          await run(gateway, histories);
        } finally {
          await gateway.close();
          await store.close();
        }
      }),
      { numRuns: 12 },
    );
  },
);

it.each([1, 2])('the same with %d workers in front of the embedded store', async workers => {
  const store = await StoreUnderTest.start({});
  await store.put('/box');
  const gateway = await TestGateway.start({
    ...{ storeUrl: store.url, store: { credentials: { kind: 'static', ...OWNER } } },
    buckets: { b: { bucketAtStore: 'box' } },
    ...{ workers, clock: store.clock, arenaBytes: 16 * 1024 * 1024 },
  });
  try {
    await fc.assert(
      fc.asyncProperty(actors, async histories => {
        for (const key of [0, 1]) await ask(gateway, { method: 'DELETE', path: `/b/k${key}`, worker: 0 });
        await run(gateway, histories);
      }),
      { numRuns: 6 },
    );
  } finally {
    await gateway.close();
    await store.stop();
  }
});
