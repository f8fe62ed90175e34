import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { ScriptedOrigin } from '../../support/scripted-origin.ts';
import type { TestGateway } from '../../support/test-gateway.ts';
import { startWebGateway } from '../../support/web-gateway.ts';

const body = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7 + index / 256) & 255));

let origin: ScriptedOrigin;
let gateway: TestGateway;

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

function digests(bytes: Buffer): Record<string, string> {
  const of = (name: string) => createHash(name).update(bytes).digest('base64');
  return { 'content-digest': `sha-256=:${of('sha256')}:`, 'content-md5': of('md5') };
}

/** An origin that says digests of what each message brings. @param limitBytes it sends no more of the first range */
async function start(workers: number, limitBytes = body.length): Promise<void> {
  ({ origin, gateway } = await startWebGateway(
    ({ headers }) => {
      const head = { etag: '"1"', 'cache-control': 'max-age=600', 'repr-digest': 'sha-256=:x:' };
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
      if (from === undefined) return { status: 200, head: { ...head, ...digests(body) }, body };
      const first = Number(from);
      const part = body.subarray(
        first,
        Math.min(Number(to) + 1, origin.asked.length === 1 ? first + limitBytes : body.length),
      );
      const range = `bytes ${first}-${first + part.length - 1}/${body.length}`;
      return { status: 206, head: { ...head, ...digests(part), 'content-range': range }, body: part };
    },
    { workers },
  ));
}

async function read(range?: string) {
  const answer = await gateway.get('/', range === undefined ? {} : { range });
  const { 'content-digest': digest, 'content-md5': md5, 'repr-digest': whole } = answer.headers;
  expect(whole).toBe('sha-256=:x:');
  if (digest !== undefined) expect(digest).toBe(digests(answer.body)['content-digest']);
  if (md5 !== undefined) expect(md5).toBe(digests(answer.body)['content-md5']);
  return { length: answer.body.length, isVerified: digest !== undefined };
}

describe.each([1, 3])(
  'digests of contents come with the bytes that they are of alone, with %d workers',
  workers => {
    it('where a part was first', async () => {
      await start(workers);
      expect(await read('bytes=0-99')).toEqual({ length: 100, isVerified: true });
      for (let time = 0; time < 2; time++) {
        expect((await read()).length).toBe(body.length);
        expect((await read('bytes=100-199')).length).toBe(100);
        expect((await read('bytes=0-99')).length).toBe(100);
      }
    });

    it('where the whole was first', async () => {
      await start(workers);
      for (let time = 0; time < 2; time++) {
        expect(await read()).toEqual({ length: body.length, isVerified: true });
        expect(await read('bytes=100-199')).toEqual({ length: 100, isVerified: false });
      }
    });
  },
);

it('a digest of less than was asked for comes with nothing', async () => {
  await start(1, 50);
  expect((await read('bytes=0-99')).isVerified).toBe(false);
});
