import { beforeEach, expect, it } from 'vitest';
import { StoreError, type StoreReceiver, type StoreRequest } from '../../../src/backend/store.ts';
import { StoreProber } from '../../../src/backend/store-prober.ts';
import { ManualClock } from '../../support/manual-clock.ts';

let clock: ManualClock;
let asked: StoreRequest[];
let receivers: StoreReceiver[];

beforeEach(() => {
  clock = new ManualClock();
  asked = [];
  receivers = [];
});

const fields = [{ name: 'x-token', value: 'shared', store: false }];

function probe(bucket: string | undefined): StoreProber {
  const nothing = () => undefined;
  const send = (request: StoreRequest, receiver: StoreReceiver) => {
    asked.push(request);
    receivers.push(receiver);
    return { pause: nothing, resume: nothing, took: nothing, abort: nothing };
  };
  return new StoreProber({ store: { send }, asked: { bucket, fields }, everyMs: 10_000, clock });
}

it.each([
  ['photos', 'HEAD', 'HeadBucket'],
  [undefined, 'GET', 'ListBuckets'],
])('asks a store for the bucket %s by %s as often as configured', (bucket, method, operation) => {
  probe(bucket);
  for (let round = 1; round <= 3; round++) {
    clock.advance(9_999);
    expect(asked).toHaveLength(round - 1);
    clock.advance(1);
    expect(asked).toHaveLength(round);
    receivers.at(-1)?.ended();
  }
  expect(asked[0]).toMatchObject({ operation, method, bucket, fields });
});

it('sends no second question while one is unanswered, and goes on after a failure', () => {
  probe('photos');
  clock.advance(30_000);
  expect(asked).toHaveLength(1);
  receivers[0]?.failed(new StoreError('TIMEOUT', 'late', undefined));
  clock.advance(10_000);
  expect(asked).toHaveLength(2);
});

it('asks nothing more once it is stopped', () => {
  const prober = probe('photos');
  clock.advance(10_000);
  prober.stop();
  receivers[0]?.ended();
  clock.advance(60_000);
  expect(asked).toHaveLength(1);
});
