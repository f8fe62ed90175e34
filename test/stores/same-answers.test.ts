import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import type { RawReply } from '../support/raw-request.ts';
import { putObjects } from './answered-objects.ts';
import { answerFrom, unnamedDifferences } from './answers.ts';
import { type NamedQuestion, readQuestions } from './read-questions.ts';
import type { RealStore } from './real-store.ts';
import { realStores } from './real-stores.ts';

const cache = { ttl: '1h', negativeTtl: '1h' };
const everything = { buckets: ['answers', 'history'], keys: ['**'], actions: ['*'] };

describe.each(realStores)('%s', (_name, start) => {
  let store: RealStore;
  let gateway: GatewayProcess;
  /** Each with what the store itself says to it. */
  const questions: (readonly [question: NamedQuestion, direct: RawReply])[] = [];

  beforeAll(async () => {
    store = await start();
    const { credentials, directUrl } = store;
    const versions = await putObjects(store);
    const { headers } = await answerFrom(directUrl, { path: '/answers/plain.txt' }, credentials);
    const validators = { etag: headers.etag ?? '', modified: headers['last-modified'] ?? '' };
    for (const question of readQuestions(versions, validators))
      questions.push([question, await answerFrom(directUrl, question, credentials)]);
    gateway = await GatewayProcess.start({
      backends: { store: { type: 's3', endpoint: store.url, credentials, keys: 'path' } },
      buckets: {
        answers: { backend: 'store', access: 'verify', cache },
        history: { backend: 'store', access: 'verify', cache },
      },
      clients: [{ ...credentials, allow: [everything] }],
      memory: '64MiB',
    });
  });

  afterAll(async () => {
    await gateway?.stop();
    await store?.stop();
  });

  it('answers with all kinds of statuses', () => {
    const statuses = new Set(questions.map(([, { status }]) => status));
    expect([...statuses]).toEqual(expect.arrayContaining([200, 206, 304, 400, 404, 405, 412, 416]));
  });

  it.each([
    ['of which nothing is known', []],
    ['that was read before', ['GET']],
    ['of which the head was read before', ['HEAD']],
  ])('the gateway gives its answers, and then again, about an object %s', async (_when, before) => {
    const wrong: string[] = [];
    for (const [question, direct] of questions) {
      await gateway.purge(question.bucket);
      const [path = ''] = question.path.split('?');
      for (const method of before) await answerFrom(gateway.url, { method, path }, store.credentials);
      for (const time of ['first', 'again']) {
        const got = await answerFrom(gateway.url, question, store.credentials);
        const found = unnamedDifferences(question, direct, got).join('; ');
        if (found !== '') wrong.push(`${question.name}, ${time} (${got.headers['x-cache']}): ${found}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
