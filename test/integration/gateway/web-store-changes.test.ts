import { afterEach, expect, it } from 'vitest';
import type { ScriptedOrigin } from '../../support/scripted-origin.ts';
import type { TestGateway } from '../../support/test-gateway.ts';
import { startWebGateway, type WebGatewayOptions } from '../../support/web-gateway.ts';

let origin: ScriptedOrigin;
let gateway: TestGateway;

async function start(options: WebGatewayOptions = {}) {
  const answers = () => ({ 'cache-control': 'max-age=600', etag: '"1"' });
  ({ origin, gateway } = await startWebGateway(answers, { name: 'web', ...options }));
}

afterEach(async () => {
  await gateway.close();
  await origin.close();
});

/** An event of a store, whose bucket is called as that of the web origin. */
function tell(keys: readonly string[] | undefined, backend?: string): number | undefined {
  return gateway.gateways[0]?.invalidate({ backend, changes: [{ bucket: 'web', keys }] });
}

async function isHeld(path: string): Promise<boolean> {
  return (await gateway.get(`/web${path}`)).headers['x-cache'] === 'HIT';
}

async function hold(...paths: string[]): Promise<void> {
  for (const path of paths) await isHeld(path);
  for (const path of paths) expect(await isHeld(path)).toBe(true);
}

it.each([
  ['a b', ['/a%20b']],
  ['f/a+b', ['/f/a+b', '/f/a%2Bb']],
  ['ü/50%?#.txt', ['/%C3%BC/50%25%3F%23.txt', '/%c3%bc/50%25%3f%23.txt']],
  ["it's [1]!", ["/it's%20[1]!", "/it's%20%5B1%5D!", '/it%27s%20%5B1%5D%21']],
  ['a^b', ['/a^b', '/a%5Eb']],
  ['a{b}`"<c>|', ['/a{b}`"<c>|', '/a%7Bb%7D%60%22%3Cc%3E|', '/a%7Bb%7D%60%22%3Cc%3E%7C']],
  ['b (1), c!.jpg', ['/b%20%281%29,%20c%21.jpg', '/b%20(1),%20c!.jpg']],
  ['a[b]|c', ['/a[b]%7Cc', '/a[b]%7cc', '/a%5bb%5d%7cc']],
  ['/two//three', ['//two//three']],
  ['docs/index.html', ['/docs/index.html', '/docs/', '/docs']],
  ['index.html', ['/']],
])('an event of the store ends the pages of %j, as clients spell them', async (key, paths) => {
  await start();
  await hold(...paths, '/else/other');
  expect(tell([key])).toBe(1);
  for (const path of paths) expect(await isHeld(path)).toBe(false);
  expect(await isHeld('/else/other')).toBe(true);
});

it('the whole bucket can be named as well, and a backend that is another one says nothing', async () => {
  await start();
  await hold('/a');
  expect(tell(['a'], 'another')).toBe(0);
  expect(await isHeld('/a')).toBe(true);
  expect(tell(undefined)).toBe(1);
  expect(await isHeld('/a')).toBe(false);
});

it('the document of a folder ends with its own key where the bucket is a website', async () => {
  await start({ website: { index: 'home.html', error: undefined, errorFor: [], redirects: false } });
  await hold('/docs/', '/other/');
  tell(['docs/a.png']);
  expect(await isHeld('/docs/')).toBe(true);
  tell(['docs/home.html']);
  expect([await isHeld('/docs/'), await isHeld('/other/')]).toEqual([false, true]);
});

it.each(['docs/a', 'a'])('the prefix of a bucket may be part of the keys, or lead to them: %s', async key => {
  await start({ rules: { pathPrefix: '/docs' } });
  await hold('/a');
  expect(tell([key])).toBe(1);
  expect(await isHeld('/a')).toBe(false);
});

it('where pages are told apart by the host too, an event counts for none, unless it is about the whole bucket', async () => {
  await start({ rules: { host: { kind: 'client' } } });
  await hold('/a');
  expect(tell(['a'])).toBe(0);
  expect(await isHeld('/a')).toBe(true);
  expect(tell(undefined)).toBe(1);
  expect(await isHeld('/a')).toBe(false);
});
