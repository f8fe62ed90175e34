import { PutBucketRequestPaymentCommand } from '@aws-sdk/client-s3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account, Grant } from '../../../src/embedded-store/access/caller.ts';
import { crossedDialects, type Dialects } from '../../support/conformance/dialects.ts';
import { Lab } from '../../support/conformance/lab.ts';
import type { Question } from '../../support/conformance/question.ts';
import { comparable } from '../../support/conformance/reply.ts';
import { uploadParts } from '../../support/conformance/upload-parts.ts';
import { OWNER } from '../../support/embedded-store/store-under-test.ts';
import type { RawReply } from '../../support/raw-request.ts';

const account = (accessKeyId: string, ...grants: readonly Grant[]): Account => ({
  accessKeyId,
  secretAccessKey: `${accessKeyId}-secret`,
  grants,
});
const everything = ['GetObject', 'GetObjectVersion', 'ListBucket'];

/** Whoever is poorer than the owner, each in another way. */
const poorer: readonly (readonly [name: string, who: Account | 'anonymous'])[] = [
  ['a client without any grant', account('nobody')],
  ['one who may list alone', account('lister', { actions: ['ListBucket'] })],
  ['one without GetObjectVersion', account('current', { actions: ['GetObject', 'ListBucket'] })],
  ['one without GetObject', account('versions', { actions: ['GetObjectVersion', 'ListBucket'] })],
  ['one without ListBucket', account('reader', { actions: ['GetObject', 'GetObjectVersion'] })],
  ['one who sees no tags, locks and holds', account('plain', { actions: everything })],
  ['one who sees tags alone', account('tags', { actions: [...everything, 'GetObjectTagging'] })],
  ['one who sees locks alone', account('locks', { actions: [...everything, 'GetObjectRetention'] })],
  ['one who sees holds alone', account('holds', { actions: [...everything, 'GetObjectLegalHold'] })],
  [
    'one with patterns',
    account(
      'patterns',
      { actions: ['GetObject'], keys: ['private/*', '!private/k'] },
      { actions: ['ListBucket'], keys: ['private/gone'] },
      { actions: ['GetObjectVersion'], keys: ['**', '!private/gone'] },
    ),
  ],
  ['a client of another bucket', account('elsewhere', { actions: ['*'], buckets: ['other'] })],
  ['an anonymous caller', 'anonymous'],
];
const accounts = [OWNER, ...poorer.flatMap(([, who]) => (who === 'anonymous' ? [] : [who]))];
const ownerId = '999988887777';

/** What is asked of each key, by GET and HEAD. */
const forms: readonly (Omit<Question, 'path'> & { readonly query?: string })[] = [
  {},
  { headers: { range: 'bytes=0-1' } },
  { headers: { range: 'bytes=99999999-' } },
  { headers: { 'if-none-match': '*' } },
  { headers: { 'if-match': '"x"' } },
  { headers: { 'if-match': '*' } },
  { headers: { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' } },
  { query: 'partNumber=1' },
  { query: 'partNumber=3' },
  { fields: { 'checksum-mode': 'ENABLED' } },
  { fields: { 'expected-bucket-owner': ownerId } },
  { fields: { 'expected-bucket-owner': '111111111111' } },
];
const methods = ['GET', 'HEAD'];

/** The same bucket behind a gateway, everything that can be asked of it, and what the store says to whom. */
class Guarded {
  readonly lab: Lab;
  readonly questions: readonly Question[];
  readonly #answers = new Map<string, unknown>();

  private constructor(lab: Lab, paths: readonly string[]) {
    this.lab = lab;
    this.questions = paths.flatMap(path =>
      forms.flatMap(({ query, ...form }) =>
        path.includes('?') && query
          ? []
          : methods.map(method => ({ ...form, method, path: query ? `${path}?${query}` : path })),
      ),
    );
  }

  static async start(dialects: Dialects, workers: number): Promise<Guarded> {
    const lab = await Lab.start({
      dialects,
      accounts,
      store: { ownerId },
      buckets: { box: {} },
      gateway: { workers },
      anonymous: {
        box: [{ actions: ['GetObject', 'GetObjectVersion'], keys: ['public/**', '!public/secret/**'] }],
      },
    });
    return new Guarded(lab, await fill(lab));
  }

  /** Asks the gateway, and insists on what the store says to the same caller. */
  async ask(question: Question, as: Account | 'anonymous', moment: string, worker = 0): Promise<void> {
    const answer = comparable(await this.lab.ask({ ...question, as }, worker));
    const expected = await this.#storeSays(question, as);
    expect(answer, `${JSON.stringify(question)} ${nameOf(as)}, ${moment}`).toEqual(expected);
  }

  async #storeSays(question: Question, as: Account | 'anonymous'): Promise<unknown> {
    const id = `${nameOf(as)} ${JSON.stringify(question)}`;
    const known = this.#answers.get(id);
    if (known) return known;
    const reply = await this.lab.askStore({ ...question, as });
    const answer = comparable(reply);
    this.#answers.set(id, answer);
    return answer;
  }
}

function nameOf(as: Account | 'anonymous'): string {
  return as === 'anonymous' ? as : as.accessKeyId;
}

describe('docs/architecture.md, law 6: every caller who is poorer than the owner', () => {
  let guarded: Guarded;

  beforeAll(async () => {
    guarded = await Guarded.start({ client: 'x-amz-', store: 'x-store-' }, 1);
    for (const question of guarded.questions) await guarded.ask(question, OWNER, 'cold');
  });
  afterAll(() => guarded.lab.stop());

  it.each(poorer)(
    'rows 129, 131 and 282: %s gets from a cache that the owner has warmed what the store says',
    async (_name, as) => {
      for (const question of guarded.questions) await guarded.ask(question, as, 'warmed by the owner');
    },
  );

  it('and the owner still gets everything', async () => {
    for (const question of guarded.questions) await guarded.ask(question, OWNER, 'warm');
  });

  it.each(poorer)('%s spoils nothing for the owner by asking first', async (_name, as) => {
    guarded.lab.forget();
    for (const question of guarded.questions) {
      await guarded.ask(question, as, 'first');
      await guarded.ask(question, OWNER, `after ${nameOf(as)}`);
    }
  });
});

describe.each(crossedDialects)('docs/architecture.md, law 6: $client before $store, $over', dialects => {
  let guarded: Guarded;

  beforeAll(async () => {
    guarded = await Guarded.start(dialects, 2);
  });
  afterAll(() => guarded.lab.stop());

  it('whoever asks which worker in whatever order, all get what the store says to them', async () => {
    const { lab, questions } = guarded;
    const step = fc.tuple(
      fc.constantFrom(OWNER, ...poorer.map(([, who]) => who)),
      fc.constantFrom(...questions),
      fc.constantFrom(0, 1),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async steps => {
        lab.forget();
        for (const [as, question, worker] of steps) await guarded.ask(question, as, 'in this order', worker);
      }),
      { numRuns: 100 },
    );
  });
});

/** Puts an object in every state into a bucket with versions and locks; gives the paths that there are to be asked. */
async function fill({ store }: Lab): Promise<string[]> {
  await store.put('/box', '', { 'x-amz-bucket-object-lock-enabled': 'true' });
  await store.put('/other');
  const guarded = {
    'x-amz-tagging': 'a=1&b=2',
    'x-amz-object-lock-mode': 'GOVERNANCE',
    'x-amz-object-lock-retain-until-date': '2099-01-01T00:00:00.000Z',
    'x-amz-object-lock-legal-hold': 'ON',
  };
  const paths = ['/box/private/none', '/box/public/none', '/box/private/k?versionId=null'];
  const note = (key: string, { headers }: RawReply) =>
    paths.push(`/box/${key}`, `/box/${key}?versionId=${headers['x-amz-version-id']}`);
  const put = async (key: string, headers: Record<string, string> = {}) =>
    note(key, await store.put(`/box/${key}`, `content of ${key}`, headers));
  const old = await store.put('/box/private/k', 'old', guarded);
  paths.push(`/box/private/k?versionId=${old.headers['x-amz-version-id']}`);
  await put('private/k', guarded);
  await put('public/k', { ...guarded, 'x-amz-acl': 'public-read' });
  await put('public/secret/k', guarded);
  await put('private/cold', { 'x-amz-storage-class': 'GLACIER' });
  await store.put('/box/private/gone');
  note('private/gone', await store.signed({ method: 'DELETE', path: '/box/private/gone' }));
  const checksum = { algorithm: 'SHA256', type: 'COMPOSITE' } as const;
  const parts = new Map([[1, Buffer.from('one part')]]);
  await uploadParts(store.sdk(), { bucket: 'box', key: 'private/parts', parts, checksum });
  return [...paths, '/box/private/parts'];
}

describe('docs/architecture.md, law 6: where the requester pays', () => {
  const requester: Account = { accessKeyId: 'requester', secretAccessKey: 's', accountId: '111122223333' };
  const consent = { 'request-payer': 'requester' };
  let lab: Lab;

  beforeAll(async () => {
    lab = await Lab.start({
      accounts: [OWNER, requester],
      gatewayIs: requester,
      buckets: { paid: {} },
      anonymous: { paid: [{ actions: ['GetObject'], keys: ['**'] }] },
    });
    await lab.store.put('/paid');
    await lab.store.put('/paid/k', 'paid', { 'x-amz-acl': 'public-read' });
    const RequestPaymentConfiguration = { Payer: 'Requester' as const };
    await lab.store
      .sdk()
      .send(new PutBucketRequestPaymentCommand({ Bucket: 'paid', RequestPaymentConfiguration }));
  });
  afterAll(() => lab.stop());

  it.each(['/paid/k', '/paid/none'])(
    'rows 125 and 126: who does not pay learns nothing of %s from who did',
    async path => {
      for (const { query, ...form } of forms) {
        for (const method of methods) {
          const question = { ...form, method, path: query ? `${path}?${query}` : path, as: requester };
          await lab.ask({ ...question, fields: { ...form.fields, ...consent } });
          const reply = await lab.ask(question);
          expect(reply.status, JSON.stringify(question)).toBe(403);
          expect((await lab.ask({ ...question, as: 'anonymous' })).status).toBe(403);
        }
      }
    },
  );
});
