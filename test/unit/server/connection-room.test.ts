import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { createLogger } from '../../../src/base/logger.ts';
import { listenHttp } from '../../../src/server/http-listener.ts';
import { defaultLimits } from '../../support/client-limits.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const CROWDED = 'HTTP/1.1 503 Slow Down\r\ncontent-length: 0\r\n\r\n';
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server with room for 8: 6 are served, 2 wait. Each request is held until `release`. */
async function setup() {
  const clock = new ManualClock();
  const lines: string[] = [];
  const logger = createLogger({
    level: 'info',
    sink: { write: line => void lines.push(line), flush: () => undefined },
  });
  const held: (() => void)[] = [];
  const listener = await listenHttp({
    host: '127.0.0.1',
    port: 0,
    reusePort: false,
    logger,
    handle: (request, response) => void held.push(() => response.end(`answer to ${request.url}`)),
    limits: defaultLimits,
    room: { connections: 8, clock },
    answerUnreadable: why => (why === 'too-many-connections' ? CROWDED : why),
  });
  const ask = async (path: string): Promise<Socket> => {
    const socket = connect(listener.port, '127.0.0.1');
    closing.push(() => socket.destroy());
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`);
    return socket;
  };
  const fill = async () => {
    const served = await Promise.all(Array.from({ length: 6 }, (_, index) => ask(`/${index}`)));
    await expect.poll(() => held.length).toBe(6);
    return served;
  };
  /** Once this many requests have come, while time goes by in which idle connections are closed. */
  const freed = (count: number) =>
    expect
      .poll(() => {
        clock.advance(100);
        return held.length;
      })
      .toBe(count);
  closing.unshift(() => listener.drain(0));
  const said = (words: string) => lines.filter(line => line.includes(words)).length;
  return { clock, held, ask, fill, said, freed };
}

it('lets what is too much wait for a place, the first to come first', async () => {
  const { held, ask, fill, said, freed } = await setup();
  await fill();
  const waiting = await ask('/early');
  await expect.poll(() => said('further ones wait')).toBe(1);
  const later = await ask('/late');
  held[0]?.();
  await freed(7);
  held[6]?.();
  const [answer] = await once(waiting, 'data');
  expect(String(answer)).toContain('answer to /early');
  held[1]?.();
  await freed(8);
  held[7]?.();
  expect(String((await once(later, 'data'))[0])).toContain('answer to /late');
  expect(said('further ones wait')).toBe(1);
});

it('closes connections that are idle between requests to make room', async () => {
  const { held, ask, fill, freed } = await setup();
  const [first] = await fill();
  held[0]?.();
  if (first) await once(first, 'data');
  const next = await ask('/next');
  await freed(7);
  held[6]?.();
  expect(String((await once(next, 'data'))[0])).toContain('answer to /next');
});

it('answers what even the waiting have no room for, and what has waited for ten seconds', async () => {
  const { clock, ask, fill, said } = await setup();
  await fill();
  const waiting = [await ask('/a'), await ask('/b')];
  await expect.poll(() => said('further ones wait')).toBe(1);
  expect(await text(await ask('/c'))).toBe(CROWDED);
  clock.advance(9_999);
  const ends = waiting.map(socket => text(socket));
  clock.advance(1);
  expect(await Promise.all(ends)).toEqual([CROWDED, CROWDED]);
});

it('says that there is room again when nobody has waited for a while', async () => {
  const { clock, ask, fill, said } = await setup();
  await fill();
  const waiting = await ask('/a');
  await expect.poll(() => said('further ones wait')).toBe(1);
  clock.advance(5_000);
  expect(said('room for connections again')).toBe(0);
  clock.advance(5_000);
  expect(await text(waiting)).toBe(CROWDED);
  clock.advance(10_000);
  expect(said('room for connections again')).toBe(1);
});
