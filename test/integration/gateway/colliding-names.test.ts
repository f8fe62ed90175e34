import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerOf } from '../../../src/cache/object-key.ts';
import { anonymous, type Policy } from '../../../src/gateway/request/access.ts';
import type { Authenticate } from '../../../src/gateway/request/authenticator.ts';
import { clientCalled } from '../../support/callers.ts';
import { testKey } from '../../support/object-keys.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { TestGateway } from '../../support/test-gateway.ts';

const origin = 'https://app.example.test';
const asOwner = { 'test-caller': 'owner' };

/** Whoever says that they are the owner is. */
const authenticate: Authenticate = ({ rawHeaders }) =>
  rawHeaders.includes('test-caller') ? clientCalled('owner') : anonymous;

/** Others read what is not secret, and no old versions. */
const allows: Policy['allows'] = (caller, _bucket, action, key) =>
  caller.kind === 'client' || (action !== 'GetObjectVersion' && !/^secret-\d+\.txt$/.test(key));

// a question that was joined never reaches the store, and the wait for it ends the test
describe.each([1, 2])('with %i workers', workers => {
  let store: StandInStore;
  let gateway: TestGateway;

  beforeEach(async () => {
    store = await StandInStore.start();
    gateway = await TestGateway.start({ storeUrl: store.url, workers, authenticate, allows });
  });

  afterEach(async () => {
    await gateway.close();
    await store.close();
  });

  /** A key and another made from it, which the last worker owns: the first one asks it for both. */
  function keysOfOneOwner(name: string, other: (key: string) => string): [string, string] {
    const isOwned = (key: string) => ownerOf(testKey('main', 'b', key).hash, workers) === workers - 1;
    for (let number = 0; ; number++) {
      const key = `${name}-${number}.txt`;
      if (isOwned(key) && isOwned(other(key))) return [key, other(key)];
    }
  }

  const get = (key: string, headers: Record<string, string> = {}, query = '') =>
    gateway.get(`/b/${encodeURIComponent(key)}${query}`, headers);

  /** Two requests of which the store has heard when it answers the first. */
  async function together(first: () => ReturnType<typeof get>, second: () => ReturnType<typeof get>) {
    const gate = store.hold();
    const answers = [first()];
    await store.log.arrival(1);
    answers.push(second());
    await store.log.arrival(2);
    gate.release();
    return Promise.all(answers);
  }

  it('what the owner read is not read under a key that looks like its name', async () => {
    const [secret, lookalike] = keysOfOneOwner('secret', key => `${key}\n\nGET ${origin}\n`);
    store.put('b', secret, 'for the owner');
    expect((await get(secret, { ...asOwner, origin })).body.toString()).toBe('for the owner');
    expect((await get(secret, { origin })).status).toBe(403);
    expect((await get(lookalike)).status).toBe(404);
  });

  it('an old version needs its own permission, whatever the key looks like', async () => {
    const [key, lookalike] = keysOfOneOwner('old', name => `${name}\nv1\n\n`);
    store.put('b', key, 'an old version');
    expect((await get(key, asOwner, '?versionId=v1')).body.toString()).toBe('an old version');
    expect((await get(lookalike)).status).toBe(404);
  });

  it('an answer about a key that looks like the name of a record is not given to others', async () => {
    const [page, lookalike] = keysOfOneOwner('page', key => `${key}\n\nGET ${origin}\n`);
    store.put('b', page, 'for all');
    expect((await get(lookalike)).status).toBe(404);
    expect((await get(page, { origin })).body.toString()).toBe('for all');
  });

  it("the owner's question under way is not joined under a key that looks like its name", async () => {
    const [secret, lookalike] = keysOfOneOwner('secret', key => `${key}\n\nGET ${origin}\n`);
    store.put('b', secret, 'for the owner');
    const [owner, stranger] = await together(
      () => get(secret, { ...asOwner, origin }),
      () => get(lookalike),
    );
    expect(owner?.body.toString()).toBe('for the owner');
    expect(stranger?.status).toBe(404);
  });

  it('a question under way about a key that looks like the name of another is not joined', async () => {
    const [page, lookalike] = keysOfOneOwner('page', key => `${key}\n\nGET ${origin}\n`);
    store.put('b', page, 'for all');
    const [stranger, visitor] = await together(
      () => get(lookalike),
      () => get(page, { origin }),
    );
    expect(stranger?.status).toBe(404);
    expect(visitor?.body.toString()).toBe('for all');
  });
});
