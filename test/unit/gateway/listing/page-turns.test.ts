import { expect, it } from 'vitest';
import { PageTurns } from '../../../../src/gateway/listing/page-turns.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const settled = () => new Promise(resolve => setImmediate(resolve));

it('reads pages one after the other, with as much time in between as the last one took', async () => {
  const clock = new ManualClock();
  const turns = new PageTurns(clock);
  const read: string[] = [];
  const page = (name: string, tookMs: number) => () => {
    clock.advance(tookMs);
    read.push(name);
    return name;
  };
  const answers = [turns.take(page('a', 40)), turns.take(page('b', 10)), turns.take(page('c', 0))];
  await settled();
  expect(read).toEqual(['a']);
  clock.advance(39);
  await settled();
  expect(read).toEqual(['a']);
  clock.advance(1);
  await settled();
  expect(read).toEqual(['a', 'b']);
  clock.advance(10);
  await settled();
  expect(read).toEqual(['a', 'b', 'c']);
  expect(await Promise.all(answers)).toEqual(['a', 'b', 'c']);
});

it('goes on behind a page that cannot be read', async () => {
  const clock = new ManualClock();
  const turns = new PageTurns(clock);
  const fault = turns.take(() => {
    throw new Error('no page');
  });
  const next = turns.take(() => 'page');
  await expect(fault).rejects.toThrow('no page');
  clock.advance(0);
  expect(await next).toBe('page');
});
