import { expect, it } from 'vitest';
import { createLogger } from '../../../../src/base/logger.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import { PreviousSecrets } from '../../../../src/gateway/request/previous-secrets.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

function started() {
  const clock = new ManualClock();
  const metrics = new Metrics();
  const lines: string[] = [];
  const sink = {
    write: (line: string) => void lines.push(JSON.parse(line).accessKey),
    flush: () => undefined,
  };
  const secrets = new PreviousSecrets(metrics, createLogger({ level: 'info', sink }), clock);
  const counted = async () => {
    const family = (await metrics.snapshot()).find(
      ({ name }) => name === 'tidegate_previous_secret_requests_total',
    );
    return Object.fromEntries(family?.values.map(({ labels, value }) => [labels.access_key, value]) ?? []);
  };
  return { clock, secrets, lines, counted };
}

it('all requests are counted, and one line a minute tells of each access key', async () => {
  const { clock, secrets, lines, counted } = started();
  secrets.watch(['a', 'b']);
  for (const id of ['a', 'a', 'b', 'unknown']) secrets.used(id, '127.0.0.1');
  clock.advance(59_999);
  secrets.used('a', undefined);
  expect(lines).toEqual(['a', 'b']);
  clock.advance(1);
  secrets.used('a', undefined);
  expect(lines).toEqual(['a', 'b', 'a']);
  expect(await counted()).toEqual({ a: 4, b: 1 });
});

it('a reload changes neither the count nor the quiet minute of a key that keeps its previous secret', async () => {
  const { secrets, lines, counted } = started();
  secrets.watch(['a', 'b']);
  for (const id of ['a', 'b']) secrets.used(id, undefined);
  secrets.watch(['a', 'c']);
  for (const id of ['a', 'b', 'c']) secrets.used(id, undefined);
  expect(lines).toEqual(['a', 'b', 'c']);
  expect(await counted()).toEqual({ a: 2, c: 1 });
  secrets.watch(['a', 'b']);
  expect(await counted()).toEqual({ a: 2, b: 0 });
});
