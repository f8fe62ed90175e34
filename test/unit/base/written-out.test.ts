import { PassThrough, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { writtenOut } from '../../../src/base/written-out.ts';

/** Ends each write when it is told to. */
function slowStream() {
  const ends: ((error?: Error) => void)[] = [];
  const stream = new Writable({ write: (_chunk, _encoding, end) => void ends.push(end) });
  return { stream, end: (error?: Error) => ends.shift()?.(error) };
}

it('waits until all is written', async () => {
  const { stream, end } = slowStream();
  for (const text of ['a', 'b']) stream.write(text);
  let isWritten = false;
  const waiting = writtenOut(stream).then(() => {
    isWritten = true;
  });
  end();
  await setImmediate();
  expect(isWritten).toBe(false);
  end();
  await setImmediate();
  end();
  await waiting;
});

it('waits for nothing where nothing is left, or nobody reads any more', async () => {
  await writtenOut(new PassThrough());
  const { stream, end } = slowStream();
  for (const text of ['a', 'b']) stream.write(text);
  const waiting = writtenOut(stream);
  end(new Error('EPIPE'));
  await waiting;
  await writtenOut(stream);
});
