import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { ListenError } from '../../../src/base/listen-error.ts';
import { createLogger, type Logger } from '../../../src/base/logger.ts';
import { CounterCell } from '../../../src/base/metrics.ts';
import { RemoteCallError, ThreadGoneError } from '../../../src/base/rpc-error.ts';
import { claimPort } from '../../../src/server/claim-address.ts';
import type { ListenAddress } from '../../../src/server/listen-address.ts';
import { ThreadStartError } from '../../../src/server/supervised-thread.ts';
import { readTls, type TlsMaterial } from '../../../src/server/tls/tls-material.ts';
import { WorkerPool } from '../../../src/server/worker-pool.ts';
import { TestAuthority } from '../../support/certificates.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { turnsUntil } from '../../support/turns-until.ts';

interface Control {
  index(): number;
  heard(): readonly string[];
  greet(name: string): string;
  greetWith(greeting: string): void;
  mark(): number;
  addTwice(n: number): Promise<number>;
  refuse(): never;
  release(): void;
  never(): Promise<never>;
  once(): Promise<string>;
  die(): void;
  beginToListen(): void;
}

const running: WorkerPool<Control>[] = [];
const authority = new TestAuthority();

afterAll(() => authority.remove());

afterEach(async () => {
  for (const pool of running.splice(0)) await pool.drain(1_000);
});

/** A pool, its clock, what it logged and who died. */
async function startPool(
  count: number,
  entry = 'echo-worker.ts',
  tls?: TlsMaterial,
  unix: readonly ListenAddress[] = [],
) {
  const clock = new ManualClock();
  const lines: string[] = [];
  const deaths: number[] = [];
  const listening: boolean[] = [];
  const unixListening: boolean[] = [];
  let onLine: (line: string) => void = () => undefined;
  const writeLog = (text: string) => {
    lines.push(text);
    onLine(text);
  };
  const logger: Logger = createLogger({ level: 'info', sink: { write: writeLog, flush: () => undefined } });
  const restarts = new CounterCell();
  const port = await claimPort('127.0.0.1', 0);
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const settings = { greeting: 'good day' };
  const greetings: string[] = [];
  const pool = new WorkerPool<Control, { greeting: string }, Int32Array<SharedArrayBuffer>>(
    {
      count,
      entry: new URL(`../../fixtures/threads/${entry}`, import.meta.url),
      addresses: () => [{ kind: 'tcp', host: '127.0.0.1', port, tls }, ...unix],
      reusePort: true,
      settings: () => ({ ...settings }),
      shared,
      clock,
      logger,
      writeLog,
      restarts,
      onDeath: index => deaths.push(index),
      onListening: any => listening.push(any),
      onUnixListening: isListening => unixListening.push(isListening),
    },
    { add: (n: number) => n + 1, greetedWith: (greeting: string) => void greetings.push(greeting) },
  );
  running.push(pool);
  const logged = (part: string) =>
    new Promise<void>(resolve => {
      onLine = () => {
        if (lines.some(line => line.includes(part))) resolve();
      };
      onLine('');
    });
  /** Resolves when `workers` workers answer. */
  const answering = (workers: number) =>
    until(
      () => pool.callAll('index', undefined),
      answers => answers.length === workers,
    );
  return {
    ...{ answering, pool, port, clock, lines, deaths, listening, unixListening, restarts, shared, logged },
    ...{ settings, greetings },
  };
}

/** The body of a GET on a connection of its own. */
function get(port: number, path: string, onStart: () => void = () => undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, agent: false }, response => {
      onStart();
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve(body)).on('error', reject);
    });
    sent.on('error', reject).end();
  });
}

/** Asks until `condition` holds for the answer: the event is in another thread. */
async function until<T>(ask: () => Promise<T>, condition: (answer: T) => boolean): Promise<T> {
  let answer = await ask();
  await turnsUntil('the pool answers as expected', async () => {
    if (condition(answer)) return true;
    answer = await ask();
    return false;
  });
  return answer;
}

it('resolves when every worker listens, and asks all of them or one', async () => {
  const { pool, port, shared } = await startPool(2);
  await pool.start();
  expect(pool.states()).toEqual([
    { index: 0, state: 'up' },
    { index: 1, state: 'up' },
  ]);
  expect(await pool.callAll('index', undefined)).toEqual(expect.arrayContaining([0, 1]));
  expect(await pool.call(1, 'greet', 'Ada')).toBe('good day, Ada');
  expect(await pool.call(0, 'addTwice', 20)).toBe(42);
  await pool.callAll('mark', undefined);
  expect(shared[0]).toBe(2);
  expect(await get(port, '/')).toMatch(/^worker [01]$/);
});

it('gives the code of what went wrong in the worker', async () => {
  const { pool } = await startPool(1);
  await pool.start();
  const refusal = await pool.call(0, 'refuse', undefined).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RemoteCallError);
  expect(refusal).toMatchObject({ code: 'REFUSED', message: 'refuse: not today' });
});

it('gives once what a worker that died had answered before', async () => {
  const { pool, logged } = await startPool(2);
  await pool.start();
  await pool.latest('index', undefined, 1_000);
  await pool.call(1, 'die', undefined).catch(() => undefined);
  await logged('last words');
  expect(pool.takeDeparted('heard')).toEqual([]);
  expect(pool.takeDeparted('index')).toEqual([1]);
  expect(pool.takeDeparted('index')).toEqual([]);
});

it('replaces a dead worker, counts it, and introduces it to its peers again', async () => {
  const { pool, clock, deaths, restarts, logged } = await startPool(2);
  await pool.start();
  await until(
    () => pool.call(0, 'heard', undefined),
    heard => heard.length === 1,
  );
  const unanswered = pool.call(1, 'never', undefined);
  const dying = pool.call(1, 'die', undefined);
  await expect(unanswered).rejects.toThrow(ThreadGoneError);
  await expect(dying).rejects.toThrow(ThreadGoneError);
  await logged('a thread died');
  await logged('last words');
  expect(deaths).toEqual([1]);
  expect(pool.states()[1]).toEqual({ index: 1, state: 'waiting' });
  await expect(pool.call(1, 'index', undefined)).rejects.toThrow(ThreadGoneError);
  expect(await pool.callAll('index', undefined)).toEqual([0]);

  clock.advance(100);
  const heard = await until(
    () => pool.call(0, 'heard', undefined),
    texts => texts.length === 2,
  );
  expect(heard).toEqual(['1: hello from 1', '1: hello from 1']);
  expect(restarts.value).toBe(1);
  expect(await pool.callAll('index', undefined)).toEqual(expect.arrayContaining([0, 1]));
});

it('has workers use renewed certificates, those too that are starting', async () => {
  const certificates = [['first.test'], ['second.test'], ['third.test']].map(names => authority.issue(names));
  const [first, second, third] = certificates.map(each => {
    const read = readTls({ certificates: [each], clientCertificates: 'required', http2: false });
    if (read.kind === 'problems') throw new Error('the certificate cannot be used');
    return read.material;
  });
  const { pool, port } = await startPool(1, 'late-worker.ts', first);
  const useCertificate = (tls: TlsMaterial | undefined) =>
    pool.useCertificates([{ kind: 'tcp', host: '127.0.0.1', port, tls }]);
  const shown = async () => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { subjectaltname } = socket.getPeerCertificate();
    socket.destroy();
    return subjectaltname;
  };
  const started = pool.start();
  useCertificate(second);
  pool.tellAll('beginToListen', undefined);
  await started;
  expect(await shown()).toBe('DNS:second.test');
  useCertificate(third);
  // told before, so that it has the certificate when it answers
  await pool.callAll('index', undefined);
  expect(await shown()).toBe('DNS:third.test');
});

it('tells all workers, those too that are starting, and starts a replacement with the settings of then', async () => {
  const { pool, clock, logged, settings, greetings } = await startPool(2);
  const started = pool.start();
  pool.tellAll('greetWith', 'hello');
  await started;
  const greeted = () => Promise.all([pool.call(0, 'greet', 'Ada'), pool.call(1, 'greet', 'Ada')]);
  expect(await greeted()).toEqual(['hello, Ada', 'hello, Ada']);
  expect(greetings.sort()).toEqual(['0: hello', '1: hello']);

  settings.greeting = 'good evening';
  await pool.call(1, 'die', undefined).catch(() => undefined);
  await logged('a thread died');
  clock.advance(100);
  await until(
    () => pool.callAll('index', undefined),
    answers => answers.length === 2,
  );
  expect(await greeted()).toEqual(['hello, Ada', 'good evening, Ada']);
});

it('leaves a worker that dies during the question out of the answers', async () => {
  const { pool } = await startPool(2);
  await pool.start();
  const asked = pool.callAll('never', undefined);
  await pool.call(0, 'die', undefined).catch(() => undefined);
  await pool.call(1, 'die', undefined).catch(() => undefined);
  expect(await asked).toEqual([]);
});

it('survives an exception nobody caught in a worker', async () => {
  const { answering, pool, port, clock, logged, lines } = await startPool(1);
  await pool.start();
  await expect(get(port, '/crash')).rejects.toThrow();
  await logged('a thread died');
  expect(lines.join('')).toContain('planted crash');
  clock.advance(100);
  await answering(1);
});

it('tells when the last worker has gone and when there is one again, not what happens in between', async () => {
  const { pool, clock, listening, logged, lines } = await startPool(2);
  await pool.start();
  const die = async (index: number) => {
    const before = lines.length;
    await pool.call(index, 'die', undefined).catch(() => undefined);
    await logged('a thread died');
    await until(
      async () => lines.slice(before).join(''),
      text => text.includes('a thread died'),
    );
  };
  expect(listening).toEqual([true]);
  await die(0);
  expect(listening).toEqual([true]);
  await die(1);
  expect(listening).toEqual([true, false]);
  clock.advance(0);
  await until(
    async () => pool.states(),
    states => states.every(({ state }) => state === 'up'),
  );
  expect(listening).toEqual([true, false, true]);
  await pool.drain(1_000);
  expect(listening).toEqual([true, false, true]);
});

it('does not let a worker wait for its turn when it is the only one that could come', async () => {
  const { pool, clock, lines } = await startPool(2);
  await pool.start();
  const deaths = () => lines.join('').split('a thread died').length - 1;
  const die = async (index: number) => {
    const before = deaths();
    await pool.call(index, 'die', undefined).catch(() => undefined);
    await until(
      async () => deaths(),
      count => count > before,
    );
  };
  const isUp = (index: number) =>
    until(
      async () => pool.states()[index]?.state,
      state => state === 'up',
    );
  // worker 1 dies in a loop until it waits for longer than a lone one would
  for (const delayMs of [0, 100, 200, 400, 800]) {
    await die(1);
    clock.advance(delayMs);
    await isUp(1);
  }
  await die(1);
  clock.advance(500);
  expect(pool.states()[1]?.state).toBe('waiting');
  await die(0);
  clock.advance(0);
  await isUp(0);
  await die(0);
  await until(
    async () => deaths(),
    count => count === 8,
  );
  clock.advance(500);
  await isUp(1);
});

it('tells when nobody has the unix sockets although another worker has the port, and replaces that worker soon', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-pool-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'socket');
  const { pool, clock, listening, unixListening, lines } = await startPool(2, 'echo-worker.ts', undefined, [
    { kind: 'unix', path, mode: 0o600 },
  ]);
  await pool.start();
  const deaths = () => lines.join('').split('a thread died').length - 1;
  for (const [before, delayMs] of [0, 100, 200, 400, 500, 500].entries()) {
    expect(unixListening.at(-1)).toBe(true);
    await pool.call(0, 'die', undefined).catch(() => undefined);
    await until(
      async () => deaths(),
      count => count > before,
    );
    expect(unixListening.at(-1)).toBe(false);
    clock.advance(delayMs);
    await until(
      async () => pool.states()[0]?.state,
      state => state === 'up',
    );
  }
  // the other worker dies, which changes nothing for the sockets
  await pool.call(1, 'die', undefined).catch(() => undefined);
  await until(
    async () => deaths(),
    count => count === 7,
  );
  expect(unixListening).toHaveLength(13);
  expect(listening).toEqual([true]);
});

it('ends and replaces a worker whose event loop stands still', async () => {
  const { answering, pool, port, clock, lines } = await startPool(1);
  await pool.start();
  const stuck = expect(get(port, '/spin')).rejects.toThrow();
  const died = () => {
    clock.advance(1_000);
    return lines.join('');
  };
  await until(
    async () => died(),
    text => text.includes('a thread died'),
  );
  await stuck;
  expect(lines.join('')).toContain('"hung":"worker-0"');
  clock.advance(0);
  await answering(1);
});

it('a worker that stands still gets few connections while it does: the others take most of its share', async () => {
  const { pool, port, clock, shared, listening } = await startPool(2);
  await pool.start();
  const stuck = get(port, '/spin');
  const [still] = await until(
    async () => [Atomics.load(shared, 0) - 1],
    ([index = -1]) => index >= 0,
  );
  const other = still === 0 ? 1 : 0;
  for (let tick = 0; tick < 3; tick++) {
    clock.advance(500);
    await pool.call(other, 'index', undefined);
  }
  expect(pool.states()[still ?? 0]?.state).toBe('unresponsive');
  // by this answer it listens on more sockets
  await pool.call(other, 'index', undefined);
  const asked = Array.from({ length: 200 }, () => get(port, '/'));
  let answered = 0;
  for (const answer of asked) void answer.then(() => answered++);
  await until(
    async () => answered,
    count => count > 150,
  );
  Atomics.store(shared, 0, 0);
  expect(await stuck).toBe(`worker ${still}`);
  const texts = await Promise.all(asked);
  expect(texts.filter(text => text === `worker ${other}`).length).toBeGreaterThan(150);
  await until(
    async () => pool.states().map(({ state }) => state),
    states => states.every(state => state === 'up'),
  );
  expect(listening).toEqual([true]);
  // both listen on one socket again
  await until(
    () => Promise.all(Array.from({ length: 40 }, () => get(port, '/').catch(() => ''))),
    again => again.filter(text => text === `worker ${still}`).length >= 10,
  );
});

it('tells that no worker takes connections when the only one stands still, and when it goes on', async () => {
  const { pool, port, clock, shared, listening } = await startPool(1);
  await pool.start();
  const stuck = get(port, '/spin');
  await until(
    async () => Atomics.load(shared, 0),
    index => index > 0,
  );
  clock.advance(1_500);
  expect(listening).toEqual([true, false]);
  Atomics.store(shared, 0, 0);
  await stuck;
  await until(
    async () => listening,
    all => all.length > 2,
  );
  expect(listening).toEqual([true, false, true]);
});

it('waits for no worker longer than it is told, and takes a late one to say what it said last', async () => {
  const { pool, clock } = await startPool(1);
  await pool.start();
  const ask = (name: 'never' | 'once') => {
    const asked = pool.latest(name, undefined, 1_000);
    return { asked, late: () => clock.advance(1_000) };
  };
  const silent = ask('never');
  silent.late();
  expect(await silent.asked).toEqual([]);
  expect(await ask('once').asked).toEqual(['said']);
  const again = ask('once');
  again.late();
  expect(await again.asked).toEqual(['said']);
});

it('lets a running response finish when it drains, and takes no new connection', async () => {
  const { pool, port } = await startPool(1);
  await pool.start();
  let body: Promise<string> = Promise.resolve('');
  await new Promise<void>(resolve => {
    body = get(port, '/slow', resolve);
  });
  const drained = pool.drain(10_000);
  await until(
    () => get(port, '/').catch((error: NodeJS.ErrnoException) => error.code),
    answer => answer === 'ECONNREFUSED',
  );
  await pool.call(0, 'release', undefined);
  expect(await body).toBe('abcd');
  await drained;
  expect(pool.states()[0]?.state).toBe('stopped');
});

it('keeps a worker without responses of its own until those of the others have finished', async () => {
  const { pool, port } = await startPool(2);
  await pool.start();
  let body: Promise<string> = Promise.resolve('');
  await new Promise<void>(resolve => {
    body = get(port, '/slow', resolve);
  });
  const drained = pool.drain(10_000);
  await until(
    () => get(port, '/').catch((error: NodeJS.ErrnoException) => error.code),
    answer => answer === 'ECONNREFUSED',
  );
  for (let round = 0; round < 200; round++) {
    expect(await Promise.all([0, 1].map(index => pool.call(index, 'index', undefined)))).toEqual([0, 1]);
  }
  await Promise.all([0, 1].map(index => pool.call(index, 'release', undefined)));
  expect(await body).toBe('abcd');
  await drained;
});

it('cuts off what is not finished when the time to drain is over', async () => {
  const { pool, port } = await startPool(1);
  await pool.start();
  let body: Promise<string> = Promise.resolve('');
  await new Promise<void>(resolve => {
    body = get(port, '/slow', resolve);
  });
  const cut = expect(body).rejects.toThrow('aborted');
  await pool.drain(10);
  await cut;
});

it('fails to start when a worker cannot start', async () => {
  const { pool } = await startPool(1, 'failing-worker.ts');
  const failure = await pool.start().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ThreadStartError);
  expect(failure).toMatchObject({ message: 'planted failure' });
  expect(pool.states()[0]?.state).toBe('stopped');
});

it('refuses a port that somebody has, in one clear line', async () => {
  const { pool, port } = await startPool(1);
  await pool.start();
  const refusal = await claimPort('127.0.0.1', port).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ListenError);
  expect(refusal).toMatchObject({
    code: 'EADDRINUSE',
    message: `cannot listen on 127.0.0.1:${port}: the port is in use, perhaps by another instance`,
  });
});

it('a thread that does not end is terminated again and again, and does not keep the others from ending', async () => {
  const { pool, clock, lines } = await startPool(1);
  await pool.start();
  // it hears nothing of the drain, and goes on with the next event after each termination
  const posted = vi.spyOn(Worker.prototype, 'postMessage').mockReturnValue(undefined);
  const terminated = vi.spyOn(Worker.prototype, 'terminate').mockResolvedValue(0);
  const drained = pool.drain(1_000);
  clock.advance(1_999);
  expect(terminated).not.toHaveBeenCalled();
  clock.advance(1);
  clock.advance(500);
  clock.advance(500);
  expect(terminated).toHaveBeenCalledTimes(3);
  clock.advance(2_000);
  await drained;
  expect(lines.join('')).toContain('a thread does not end');
  const [worker] = terminated.mock.contexts;
  posted.mockRestore();
  terminated.mockRestore();
  if (worker instanceof Worker) await worker.terminate();
});

it('terminating a thread for a long time leaves no listeners behind', async () => {
  const { pool, clock } = await startPool(1);
  await pool.start();
  const posted = vi.spyOn(Worker.prototype, 'postMessage').mockReturnValue(undefined);
  const terminated = vi.spyOn(Worker.prototype, 'terminate');
  const drained = pool.drain(1_000);
  clock.advance(2_000);
  const worker: unknown = terminated.mock.contexts[0];
  if (!(worker instanceof Worker)) throw new Error('no thread was terminated');
  const listeners = worker.listenerCount('exit');
  // the thread cannot be seen to end before the next turn of the event loop
  clock.advance(20_000);
  expect(terminated.mock.calls.length).toBeGreaterThan(20);
  expect(worker.listenerCount('exit')).toBe(listeners);
  posted.mockRestore();
  terminated.mockRestore();
  await drained;
});
