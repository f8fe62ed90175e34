import { expect, it, onTestFinished, vi } from 'vitest';
import { allocateBreakers } from '../../../src/backend/breaker/breaker-word.ts';
import { allocateOutages } from '../../../src/backend/outage-log.ts';
import { S3Store } from '../../../src/backend/s3/s3-store.ts';
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
        files: undefined,
        proxies: new Map(),
        ...shared,
      },
    });
    const store = (name: string) => {
      const found = prepared.get(name);
      if (!(found instanceof S3Store)) throw new Error(`there is no store ${name}`);
      onTestFinished(() => found.close());
      return found;
    };
    return store;
  };
  return { stores, prepare };
}

it('a reload keeps the stores that it does not change, with their connections and queues', () => {
  const { stores, prepare } = setup();
  const before = prepare({ one: '', two: '' });
  stores.use();
  const [one, two] = [before('one'), before('two')];
  const after = prepare({ one: '', two: ', connections: 5' });
  expect(after('one')).toBe(one);
  expect(after('two')).not.toBe(two);
});

it('a store that is replaced or removed is retired when the change is applied, and no other', () => {
  const { stores, prepare } = setup();
  const before = prepare({ stays: '', changes: '', goes: '' });
  stores.use();
  const names = ['stays', 'changes', 'goes'];
  const retired = names.map(name => vi.spyOn(before(name), 'retire'));
  prepare({ stays: '', changes: ', connections: 5' });
  const counts = () => retired.map(({ mock }) => mock.calls.length);
  expect(counts()).toEqual([0, 0, 0]);
  stores.use();
  expect(counts()).toEqual([0, 1, 1]);
});

it('a circuit breaker asks for the first bucket of its backend, and for another from a reload on', () => {
  const { stores, prepare } = setup();
  const asked = () => Array.from(stores.use().values(), ({ askedBucket }) => askedBucket);
  const one = prepare({ one: '', two: '' }, ['"*": { backend: one', 'a: { backend: one, bucket: a-there'])(
    'one',
  );
  expect(asked()).toEqual(['a-there', undefined]);
  expect(prepare({ one: '', two: '' }, ['b: { backend: one'])('one')).toBe(one);
  expect(one.askedBucket).toBe('a-there');
  expect(asked()).toEqual(['b', undefined]);
});

it('what was prepared and not applied changes nothing of those in use', () => {
  const { stores, prepare } = setup();
  const one = prepare({ one: '' })('one');
  stores.use();
  prepare({ one: ', connections: 5' });
  expect(prepare({ one: '' })('one')).toBe(one);
});
