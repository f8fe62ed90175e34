import { expect, it } from 'vitest';
import { isKnownBucket, type NamedBuckets, otherBucketNames } from '../../../src/config/other-buckets.ts';

const at = (endpoint: string) => ({ type: 's3', endpoint });

const config: NamedBuckets = {
  backends: {
    main: at('http://store.test:9000'),
    again: at('https://STORE.test.:9000'),
    elsewhere: at('http://store.test:9001'),
    amazon: at('https://s3.eu-west-1.amazonaws.com'),
    demo: { type: 'embedded' },
  },
  buckets: {
    photos: { backend: 'main', bucket: 'photos-production' },
    reports: { backend: 'main' },
    logs: { backend: 'again', bucket: 'logs-production' },
    music: { backend: 'elsewhere', bucket: 'music-production' },
    films: { backend: 'demo', bucket: 'films-production' },
    '*': { backend: 'main' },
  },
};

const withOthersOn = (backend: string): NamedBuckets => ({
  ...config,
  buckets: { ...config.buckets, '*': { backend } },
});

it('"*" does not stand for what a configured bucket is called at the same store', () => {
  const isOther = otherBucketNames(config);
  expect(['photos-production', 'reports', 'logs-production'].map(isOther)).toEqual([false, false, false]);
  expect(['anything', 'music-production', 'films-production', 'photos'].map(isOther)).toEqual(
    Array(4).fill(true),
  );
});

it.each(['https://s3.amazonaws.com', 'https://s3.dualstack.us-east-1.amazonaws.com'])(
  'all hosts of one service have the same buckets: %s',
  endpoint => {
    const { backends, buckets } = withOthersOn('amazon');
    const secret = { backend: 'secret', bucket: 'secret-production' };
    const isOther = otherBucketNames({
      backends: { ...backends, secret: at(endpoint) },
      buckets: { ...buckets, secret },
    });
    expect(isOther('secret-production')).toBe(false);
    expect(isOther('photos-production')).toBe(true);
  },
);

it('"*" does not stand for what a configured bucket is called at a store that its reads may come from', () => {
  const { backends, buckets } = config;
  const isOther = otherBucketNames({
    backends: { ...backends, main: { ...at('http://store.test:9000'), fallback: 'elsewhere' } },
    buckets: { ...buckets, reports: { backend: 'main', fallbackBucket: 'reports-replica' } },
  });
  // by their own names, by that of the fallback, and by that at the store of the fallback
  const taken = ['photos-production', 'reports', 'logs-production', 'reports-replica', 'music-production'];
  expect(taken.map(isOther)).toEqual(Array(5).fill(false));
  expect(isOther('films-production')).toBe(true);
});

it('"*" does not stand for a bucket that is the fallback of another one at the store of "*"', () => {
  const { backends, buckets } = config;
  const isOther = otherBucketNames({
    backends: { ...backends, elsewhere: { ...at('http://store.test:9001'), fallback: 'again' } },
    buckets: { ...buckets, music: { backend: 'elsewhere', fallbackBucket: 'music-copy' } },
  });
  expect(isOther('music-copy')).toBe(false);
  expect(isOther('music')).toBe(true);
});

it('an embedded store is nobody else', () => {
  const isOther = otherBucketNames(withOthersOn('demo'));
  expect(isOther('films-production')).toBe(false);
  expect(isOther('photos-production')).toBe(true);
});

it('"*" stands for names of buckets only', () => {
  const isOther = otherBucketNames(config);
  const point = 'arn:aws:s3:eu-west-1:123456789012:accesspoint/ap';
  expect(['PHOTOS', 'Anything', 'anything.', point, 'ap-1-s3alias', '*', ''].map(isOther)).toEqual(
    Array(7).fill(false),
  );
});

it.each(['minio', 'admin', 'riak-cs'])(
  '"*" does not stand for a name under which stores administer themselves, unless it is configured: %s',
  name => {
    expect(otherBucketNames(config)(name)).toBe(false);
    expect(otherBucketNames(config)(`${name}-files`)).toBe(true);
    const { buckets } = config;
    expect(isKnownBucket(config, name)).toBe(false);
    expect(isKnownBucket({ ...config, buckets: { ...buckets, [name]: { backend: 'main' } } }, name)).toBe(
      true,
    );
  },
);

it('without "*" there are no others', () => {
  const { '*': _others, ...buckets } = config.buckets;
  expect(otherBucketNames({ ...config, buckets })('anything')).toBe(false);
});

it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf', '__proto__'])(
  'what every object has is no bucket: %s',
  name => {
    const { '*': _others, ...buckets } = config.buckets;
    expect(isKnownBucket({ ...config, buckets }, name)).toBe(false);
    expect(isKnownBucket({ ...config, buckets: { ...buckets, photos: { backend: name } } }, name)).toBe(
      false,
    );
  },
);

it('configured buckets are known, "*" itself is no bucket', () => {
  expect(['photos', 'anything', '*', 'photos-production'].map(name => isKnownBucket(config, name))).toEqual([
    ...[true, true, false, false],
  ]);
});
