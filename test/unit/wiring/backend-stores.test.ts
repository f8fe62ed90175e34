import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { allocateBreakers } from '../../../src/backend/breaker/breaker-word.ts';
import { allocateOutages } from '../../../src/backend/outage-log.ts';
import type { Store } from '../../../src/backend/store.ts';
import { StoreMeter } from '../../../src/backend/store-meter.ts';
import { Faults } from '../../../src/base/faults.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { Metrics } from '../../../src/base/metrics.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { BACKEND_PLACES, BackendPlaces } from '../../../src/wiring/backend-places.ts';
import { BackendStores } from '../../../src/wiring/backend-stores.ts';
import { WorkerCredentials } from '../../../src/wiring/worker-credentials.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function setup() {
  const [clock, metrics] = [new ManualClock(), new Metrics()];
  const stores = new BackendStores({
    ...{ clock, meter: new StoreMeter(metrics), logger: silentLogger(), spans: undefined },
    faults: new Faults(metrics, undefined),
    credentials: new WorkerCredentials(() => undefined),
  });
  const places = new BackendPlaces();
  const shared = {
    outages: allocateOutages(BACKEND_PLACES, clock),
    breakers: allocateBreakers(BACKEND_PLACES),
  };
  /** The stores that serve once a reload with these backends is prepared. */
  const prepare = (backends: Readonly<Record<string, string>>, buckets: readonly string[] = []) => {
    const lines = Object.entries(backends).map(
      ([name, more]) =>
        `  ${name}: { type: s3, endpoint: "http://127.0.0.1:1", credentials: none, keys: exact${more} }`,
    );
    const named = buckets.map(bucket => `  ${bucket}, access: verify }`);
    const text = ['backends:', ...lines, ...(named.length > 0 ? ['buckets:', ...named] : [])].join('\n');
    const config = parseConfig(text, {});
    const placed = places.prepare(config.backends, new Map());
    placed.take();
    const prepared = stores.prepare({
      ...{ revision: 0, config, places: placed.places, stores: new Map(), credentials: new Map() },
      ...{
        listingSecret: '',
        recordBytesPerWorker: 2 ** 20,
        nearBytesPerWorker: { webBytes: 0, objectBytes: 0 },
        files: undefined,
        proxies: new Map(),
        ...shared,
      },
    });
    return (name: string) => existing(name, prepared);
  };
  /** The stores in use once what was prepared is applied. */
  const use = () => {
    const used = stores.use();
    for (const store of used.values()) onTestFinished(() => store.close());
    return (name: string) => existing(name, used);
  };
  return { use, prepare };
}

function existing<Kind extends Store>(name: string, stores: ReadonlyMap<string, Kind>): Kind {
  const found = stores.get(name);
  if (!found) throw new Error(`there is no store ${name}`);
  return found;
}

it('a reload keeps the stores that it does not change, with their connections and queues', () => {
  const { use, prepare } = setup();
  prepare({ one: '', two: '' });
  const before = use();
  prepare({ one: '', two: ', connections: 5' });
  const after = use();
  expect(after('one')).toBe(before('one'));
  expect(after('two')).not.toBe(before('two'));
});

it('a store that is replaced or removed is retired when the change is applied, and no other', () => {
  const { use, prepare } = setup();
  prepare({ stays: '', changes: '', goes: '' });
  const before = use();
  const names = ['stays', 'changes', 'goes'];
  const retired = names.map(name => vi.spyOn(before(name), 'retire'));
  prepare({ stays: '', changes: ', connections: 5' });
  const counts = () => retired.map(({ mock }) => mock.calls.length);
  expect(counts()).toEqual([0, 0, 0]);
  use();
  expect(counts()).toEqual([0, 1, 1]);
});

it('a circuit breaker asks for the first bucket of its backend, and for another from a reload on', () => {
  const { use, prepare } = setup();
  prepare({ one: '', two: '' }, ['"*": { backend: one', 'a: { backend: one, bucket: a-there']);
  const before = use();
  expect([before('one').asked.bucket, before('two').asked.bucket]).toEqual(['a-there', undefined]);
  prepare({ one: '', two: '' }, ['b: { backend: one']);
  expect(before('one').asked.bucket).toBe('a-there');
  const after = use();
  expect(after('one')).toBe(before('one'));
  expect([after('one').asked.bucket, after('two').asked.bucket]).toEqual(['b', undefined]);
});

it('a circuit breaker of a fallback asks for a bucket that it stands in for', () => {
  const { use, prepare } = setup();
  prepare({ one: ', fallback: two', two: '' }, ['a: { backend: one, fallbackBucket: copy']);
  const store = use();
  expect([store('one').asked.bucket, store('two').asked.bucket]).toEqual(['a', 'copy']);
});

it('a circuit breaker asks with what rules give to requests that name no key', () => {
  const { use, prepare } = setup();
  const rules = (keys: string) => `rules: [{ keys: ["${keys}"], requestHeaders: { set: { x-token: t } } }]`;
  prepare({ one: '', two: '' }, [
    `a: { backend: one, ${rules('**')}`,
    `b: { backend: two, ${rules('only/**')}`,
  ]);
  const store = use();
  expect(store('one').asked.fields).toEqual([{ name: 'x-token', value: 't', store: false }]);
  expect(store('two').asked.fields).toEqual([]);
  prepare({ one: '', two: '' }, [`"*": { backend: two, ${rules('**')}`]);
  const later = use();
  const token = [{ name: 'x-token', value: 't', store: false }];
  expect([later('one').asked, later('two').asked]).toEqual([
    { bucket: undefined, fields: [] },
    { bucket: undefined, fields: token },
  ]);
});

it('what was prepared and not applied changes nothing of those in use', () => {
  const { use, prepare } = setup();
  prepare({ one: '' });
  const before = use();
  prepare({ one: ', connections: 5' });
  prepare({ one: '' });
  expect(use()('one')).toBe(before('one'));
});

describe('what is cached of a store', () => {
  const another = ', region: elsewhere';
  const request = { method: 'GET', bucket: 'b', key: 'k', query: '', fields: [] };
  const ignored = () => undefined;
  const receiver = { answered: ignored, arrived: ignored, ended: ignored, failed: ignored };

  it('asks for bytes as the store is configured once a change is applied', () => {
    const { use, prepare } = setup();
    const cached = prepare({ one: '' })('one');
    const before = vi.spyOn(use()('one'), 'send');
    expect(prepare({ one: ', connections: 5' })('one')).toBe(cached);
    cached.send(request, receiver).abort();
    expect(before).toHaveBeenCalledOnce();
    const after = vi.spyOn(use()('one'), 'send');
    cached.send(request, receiver).abort();
    expect([before.mock.calls.length, after.mock.calls.length]).toEqual([1, 1]);
  });

  it('so it does of one that was gone for a while, and never of another under its name', () => {
    const { use, prepare } = setup();
    const cached = prepare({ one: '', two: '' })('one');
    use();
    prepare({ two: '' });
    use();
    expect(prepare({ one: ', connections: 5', two: '' })('one')).toBe(cached);
    const back = vi.spyOn(use()('one'), 'send');
    cached.send(request, receiver).abort();
    const other = prepare({ one: another, two: '' })('one');
    expect(other).not.toBe(cached);
    const sent = vi.spyOn(use()('one'), 'send');
    cached.send(request, receiver).abort();
    expect([back.mock.calls.length, sent.mock.calls.length]).toEqual([2, 0]);
  });
});
