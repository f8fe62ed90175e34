import type { LookupAddress } from 'node:dns';
import { beforeEach, expect, it } from 'vitest';
import { boundedLookup, type FindAddresses } from '../../../src/backend/bounded-lookup.ts';

const address: LookupAddress = { address: '192.0.2.1', family: 4 };
let asked: { host: string; answer: Parameters<FindAddresses>[1] }[];
const find: FindAddresses = (host, answer) => void asked.push({ host, answer });

beforeEach(() => {
  asked = [];
});

function ask(lookup: ReturnType<typeof boundedLookup>, host: string): Promise<unknown> {
  return new Promise((resolve, reject) =>
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses))),
  );
}

const hosts = () => asked.map(({ host }) => host);

it('few hosts are looked up at the same time, in the order in which they were asked for', async () => {
  const lookup = boundedLookup(2, 10, find);
  const answers = ['a', 'b', 'c'].map(host => ask(lookup, host));
  expect(hosts()).toEqual(['a', 'b']);
  asked[1]?.answer(null, [address]);
  expect(hosts()).toEqual(['a', 'b', 'c']);
  for (const { answer } of asked) answer(null, [address]);
  expect(await Promise.all(answers)).toEqual([[address], [address], [address]]);
});

it('a host is looked up once for all who ask meanwhile, and again afterwards', async () => {
  const lookup = boundedLookup(2, 10, find);
  const answers = [ask(lookup, 'a'), ask(lookup, 'a')];
  asked[0]?.answer(null, [address]);
  expect(await Promise.all(answers)).toEqual([[address], [address]]);
  void ask(lookup, 'a');
  expect(hosts()).toEqual(['a', 'a']);
});

it('when too many hosts wait the next is refused, and a failure is told', async () => {
  const lookup = boundedLookup(1, 1, find);
  const failing = ask(lookup, 'a');
  const waiting = ask(lookup, 'b');
  await expect(ask(lookup, 'c')).rejects.toMatchObject({ code: 'EAI_AGAIN' });
  asked[0]?.answer(Object.assign(new Error('none'), { code: 'ENOTFOUND' }));
  await expect(failing).rejects.toMatchObject({ code: 'ENOTFOUND' });
  asked[1]?.answer(null, [address]);
  expect(await waiting).toEqual([address]);
});

it('who wants one address gets the first', async () => {
  const lookup = boundedLookup(1, 1, find);
  const { promise, resolve } = Promise.withResolvers<unknown>();
  lookup('a', {}, (_error, found, family) => resolve([found, family]));
  asked[0]?.answer(null, [address]);
  expect(await promise).toEqual(['192.0.2.1', 4]);
});
