import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { accessLogTo } from '../../support/access-log-to.ts';
import { StandInStore } from '../../support/stand-in-store.ts';
import { type TestAnswer, TestGateway, type TestGatewayOptions } from '../../support/test-gateway.ts';
import { defaultPolicy } from '../../support/worker-gateway.ts';

const mebibyte = 1024 * 1024;
const large = Buffer.alloc(3 * mebibyte, 'abcdefg');

/** What the gateway is told to throw in, while it is armed. */
class Trap {
  isArmed = false;
  sprung = 0;

  spring(): void {
    if (!this.isArmed) return;
    this.sprung++;
    throw new TypeError(`a trap of a test sprang`);
  }
}

let store: StandInStore;
let gateway: TestGateway;
let trap: Trap;

beforeEach(async () => {
  trap = new Trap();
  store = await StandInStore.start();
  for (const key of ['small', 'other']) store.put('b', key, key);
  store.put('b', 'large', large);
});

afterEach(async () => {
  await gateway.close();
  await store.close();
});

const start = async (options: Partial<TestGatewayOptions>) => {
  gateway = await TestGateway.start({ storeUrl: store.url, ...options });
};

/** Places inside of a gateway that other code of it calls, and that throw once the trap is armed. */
const places: readonly (readonly [where: string, options: () => Partial<TestGatewayOptions>])[] = [
  [
    'what a bucket is kept by',
    () => ({ buckets: { b: { rulesFor: springing(() => ({ cache: defaultPolicy })) } } }),
  ],
  ['what is granted', () => ({ allows: springing(() => true) })],
  ['the clock that reads time', () => ({ clock: { ...systemClock, nowMs: springing(() => Date.now()) } })],
  [
    'the clock that measures',
    () => ({ clock: { ...systemClock, monotonicMs: springing(() => performance.now()) } }),
  ],
  [
    'the log',
    () => ({
      accessLog: accessLogTo(() => trap.spring()),
    }),
  ],
];

function springing<Args extends unknown[], Result>(
  call: (...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => {
    trap.spring();
    return call(...args);
  };
}

/** Undefined for an answer that was cut off. */
const ask = (path: string, headers = {}, method = 'GET'): Promise<TestAnswer | undefined> =>
  gateway.send(method, path, headers).catch(() => undefined);

describe.each(places)('an exception in %s', (_, options) => {
  it('ends the requests that meet it, and neither the thread nor what comes after', async () => {
    await start(options());
    await ask('/b/small');
    trap.isArmed = true;
    const paths = [
      '/b/small',
      '/b/other',
      '/b/large',
      '/b/missing',
      '/b?list-type=2',
      '/b/small?tagging',
      '/b/large?partNumber=1',
    ];
    const asked = paths.flatMap(path => [
      ask(path),
      ask(path, {}, 'HEAD'),
      ask(path, { range: 'bytes=1-2' }),
    ]);
    const answers = await Promise.all([...asked, ask('/b/large', { range: 'bytes=-2000000' })]);
    trap.isArmed = false;
    expect(trap.sprung).toBeGreaterThan(0);
    for (const answer of answers)
      if (answer?.status === 500 && answer.body.length > 0)
        expect(answer.body.toString()).toContain('<Code>InternalError</Code>');
    expect(await sumOf('tidegate_request_faults_total')).toBeGreaterThan(0);
    await atRest();
    expect((await gateway.get('/b/large')).body.equals(large)).toBe(true);
    expect((await gateway.get('/b/other')).body.toString()).toBe('other');
    await atRest();
  });
});

it('an exception between two pieces of a body cuts the body off and gives everything back', async () => {
  await start({ arenaBytes: 64 * mebibyte, clock: { ...systemClock, nowMs: springing(() => Date.now()) } });
  store.rateBytesPerS = 8 * mebibyte;
  const asked = [ask('/b/large'), ask('/b/large'), ask('/b/large', { range: 'bytes=1000000-' })];
  await once(
    () => sumOf('tidegate_requests_in_flight'),
    count => count === 3,
  );
  trap.isArmed = true;
  await Promise.all([...asked, ask('/b/small')]);
  trap.isArmed = false;
  await atRest();
  expect((await gateway.get('/b/large')).body.equals(large)).toBe(true);
});

/** Nothing is being answered, filled or lent. */
async function atRest(): Promise<void> {
  await once(
    () => sumOf('tidegate_requests_in_flight'),
    count => count === 0,
  );
  await once(
    () => sumOf('tidegate_fills_in_flight'),
    count => count === 0,
  );
}

async function once(read: () => Promise<number>, holds: (value: number) => boolean): Promise<void> {
  const untilMs = Date.now() + 10_000;
  let value = await read();
  while (!holds(value)) {
    if (Date.now() > untilMs) expect.fail(`it stays at ${value}`);
    await new Promise(resolve => setTimeout(resolve, 5));
    value = await read();
  }
}

async function sumOf(name: string): Promise<number> {
  const snapshots = await Promise.all(gateway.metrics.map(metrics => metrics.snapshot()));
  const families = snapshots.flat().filter(family => family.name === name);
  return families.flatMap(({ values }) => values).reduce((sum, { value }) => sum + value, 0);
}
