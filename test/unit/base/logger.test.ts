import { expect, it } from 'vitest';
import { batchedSink, redactingSink } from '../../../src/base/log-sinks.ts';
import { createLogger } from '../../../src/base/logger.ts';
import { createRedactor } from '../../../src/base/redaction.ts';
import { ManualClock } from '../../support/manual-clock.ts';

function collector() {
  const batches: string[] = [];
  return { batches, sink: { write: (lines: string) => void batches.push(lines), flush: () => undefined } };
}

it('writes one JSON line with level, time, the fields of the thread and the message', () => {
  const { batches, sink } = collector();
  const logger = createLogger({
    level: 'info',
    sink,
    fields: { thread: 'worker-0' },
    clock: new ManualClock(),
  });
  logger.debug('not this');
  logger.warn({ backend: 'main' }, 'the backend does not answer');
  expect(batches.map(line => JSON.parse(line))).toEqual([
    {
      level: 'warn',
      time: '2026-01-01T00:00:00.000Z',
      thread: 'worker-0',
      backend: 'main',
      msg: 'the backend does not answer',
    },
  ]);
});

it('sends a batch once its delay is over, and at once when it is full or flushed', () => {
  const clock = new ManualClock();
  const { batches, sink } = collector();
  const batched = batchedSink({ clock, send: sink.write, maxBatchLength: 10, maxDelayMs: 100 });
  batched.write('a\n');
  batched.write('b\n');
  clock.advance(99);
  expect(batches).toEqual([]);
  clock.advance(1);
  expect(batches).toEqual(['a\nb\n']);
  batched.write('123456789\n');
  expect(batches).toHaveLength(2);
  batched.write('c\n');
  batched.flush();
  batched.flush();
  clock.advance(1_000);
  expect(batches).toEqual(['a\nb\n', '123456789\n', 'c\n']);
});

it('lets no line pass unredacted', () => {
  const { batches, sink } = collector();
  const logger = createLogger({ level: 'info', sink: redactingSink(sink, createRedactor(['s3cr3t"key'])) });
  logger.info({ error: 'the store said: s3cr3t"key is unknown' }, 'refused');
  expect(batches[0]).not.toContain('s3cr3t');
  expect(JSON.parse(batches[0] ?? '').error).toBe('the store said: [redacted] is unknown');
});
