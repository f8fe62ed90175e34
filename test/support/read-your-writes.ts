import { type IncomingHttpHeaders, request } from 'node:http';
import fc from 'fast-check';
import { expect } from 'vitest';
import { contentMd5 } from './content-md5.ts';

/** Where worker `worker` of a gateway is asked; the names of the workers are any numbers. Its bucket is called `b`. */
type UrlOf = (worker: number) => string;

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
export function ask(urlOf: UrlOf, { method, path, worker, headers = {}, body }: Asked): Promise<Told> {
  const { port, hostname } = new URL(urlOf(worker));
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
  put: (urlOf, { path, worker, content }) => ask(urlOf, { method: 'PUT', path, worker, body: content }),
  copy: async (urlOf, { path, worker, content }) => {
    const source = `${path}-source`;
    await ask(urlOf, { method: 'PUT', path: source, worker, body: content });
    const headers = { 'x-amz-copy-source': source };
    return ask(urlOf, { method: 'PUT', path, worker, headers });
  },
  upload: async (urlOf, { path, worker, content }) => {
    const created = await ask(urlOf, { method: 'POST', path: `${path}?uploads`, worker });
    const id = /<UploadId>(.*?)<\/UploadId>/.exec(created.body)?.[1];
    const part = `${path}?partNumber=1&uploadId=${id}`;
    const { headers } = await ask(urlOf, { method: 'PUT', path: part, worker, body: content });
    const listed = `<PartNumber>1</PartNumber><ETag>${headers.etag?.replaceAll('"', '&quot;')}</ETag>`;
    const body = `<CompleteMultipartUpload><Part>${listed}</Part></CompleteMultipartUpload>`;
    return ask(urlOf, { method: 'POST', path: `${path}?uploadId=${id}`, worker, body });
  },
  delete: (urlOf, { path, worker }) => ask(urlOf, { method: 'DELETE', path, worker }),
  'delete objects': (urlOf, { path, worker }) => {
    const listed = ['other', path.slice('/b/'.length)].map(key => `<Object><Key>${key}</Key></Object>`);
    const body = `<Delete>${listed.join('')}</Delete>`;
    return ask(urlOf, { method: 'POST', path: '/b?delete', worker, body, headers: contentMd5(body) });
  },
} as const satisfies Record<
  string,
  (urlOf: UrlOf, target: { path: string; worker: number; content: string }) => Promise<Told>
>;

function isWrite(kind: Step['kind']): kind is keyof typeof writes {
  return kind in writes;
}

async function write(urlOf: UrlOf, history: History, kind: keyof typeof writes, step: Step): Promise<void> {
  const number = history.states.length;
  // the length tells the version
  history.states.push(kind.startsWith('delete') ? 'gone' : `v${number}`);
  await writes[kind](urlOf, { path: `/b/k${step.key}`, worker: step.worker, content: 'x'.repeat(number) });
  history.answered = number;
}

/** The state that a read shows. */
async function stateOf(urlOf: UrlOf, { kind, key, worker }: Step): Promise<string> {
  const method = kind === 'head' ? 'HEAD' : 'GET';
  const { status, headers, body } = await ask(urlOf, { method, path: `/b/k${key}`, worker });
  if (status === 404) return 'gone';
  return `v${kind === 'head' ? headers['content-length'] : body.length}`;
}

async function read(urlOf: UrlOf, history: History, step: Step): Promise<void> {
  const { answered } = history;
  const seen = await stateOf(urlOf, step);
  const possible = history.states.slice(answered);
  expect(possible, `after ${answered} of ${history.states}`).toContain(seen);
}

/** Runs all actors at the same time; the first `KEYS` of them write, each its own key. */
export async function runHistories(urlOf: UrlOf, actors: readonly (readonly Step[])[]): Promise<void> {
  const histories = Array.from({ length: KEYS }, () => new History());
  const act = async (steps: readonly Step[], index: number) => {
    for (const each of steps) {
      const own = histories[index];
      const read1 = histories[each.key];
      if (isWrite(each.kind) && own) {
        await write(urlOf, own, each.kind, { ...each, key: index });
        await read(urlOf, own, { kind: 'get', key: index, worker: each.worker + 1 });
      } else if (read1) await read(urlOf, read1, { ...each, kind: each.kind === 'head' ? 'head' : 'get' });
    }
  };
  await Promise.all(actors.map(act));
}

/** Several actors at the same time. */
export const actors = fc.array(actor, { minLength: KEYS, maxLength: 6 });
