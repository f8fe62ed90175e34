import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { handleSignals } from '../../../src/server/shutdown-signals.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function setup({ hasFile = true } = {}) {
  const source = new EventEmitter();
  const drained = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<number>();
  const events: string[] = [];
  const clock = new ManualClock();
  handleSignals(source, {
    drain: () => {
      events.push('drain');
      return drained.promise;
    },
    exit: code => {
      events.push(`exit ${code}`);
      ended.resolve(code);
    },
    reload: hasFile ? () => void events.push('reload') : undefined,
    rotate: () => void events.push('rotate'),
    clock,
    logger: silentLogger(),
  });
  return { source, clock, drained, ended: ended.promise, events };
}

it.each(['SIGTERM', 'SIGINT'])('%s drains, then ends with 0', async signal => {
  const { source, drained, ended, events } = setup();
  source.emit(signal);
  expect(events).toEqual(['drain']);
  drained.resolve();
  await ended;
  expect(events).toEqual(['drain', 'exit 0']);
});

it('a second signal ends at once with 1', () => {
  const { source, clock, events } = setup();
  source.emit('SIGTERM');
  clock.advance(100);
  source.emit('SIGINT');
  expect(events).toEqual(['drain', 'exit 1']);
});

it('the echo of a signal that a parent passes on is not a second one', () => {
  const { source, events } = setup();
  source.emit('SIGINT');
  source.emit('SIGINT');
  expect(events).toEqual(['drain']);
});

it('a drain that fails ends with 1', async () => {
  const { source, drained, ended } = setup();
  source.emit('SIGTERM');
  drained.reject(new Error('planted'));
  expect(await ended).toBe(1);
});

it('SIGHUP reloads, and neither ends nor drains', () => {
  const { source, events } = setup();
  source.emit('SIGHUP');
  expect(events).toEqual(['reload']);
});

it('SIGHUP drains and ends where there is no file to read again', async () => {
  const { source, drained, ended, events } = setup({ hasFile: false });
  source.emit('SIGHUP');
  drained.resolve();
  await ended;
  expect(events).toEqual(['drain', 'exit 0']);
});

it('SIGUSR2 opens the access log anew, and neither ends nor drains', () => {
  const { source, events } = setup();
  source.emit('SIGUSR2');
  expect(events).toEqual(['rotate']);
});
