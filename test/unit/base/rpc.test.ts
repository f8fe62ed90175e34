import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Rpc, type ThreadPort } from '../../../src/base/rpc.ts';
import { RemoteCallError, ThreadGoneError } from '../../../src/base/rpc-error.ts';
import { rpcOptions, serveContract, servesContract } from '../../fixtures/threads/rpc-end.ts';

interface Connection {
  readonly channel: ThreadPort;
  end(): unknown;
}

/** Two workers of the pool are connected like this. */
function betweenPeers(): Connection {
  const { port1, port2 } = new MessageChannel();
  serveContract(port2, rpcOptions);
  return { channel: port1, end: () => port1.close() };
}

/** The supervisor and a thread are connected like this. */
function toThread(): Connection {
  const entry = new URL('../../fixtures/threads/rpc-end.ts', import.meta.url);
  const worker = new Worker(entry, { workerData: servesContract });
  return { channel: worker, end: () => worker.terminate() };
}

describe.each([
  ['two workers', betweenPeers],
  ['the supervisor and a thread', toThread],
])('between %s', (_who, connect) => {
  let connection: Connection;
  let rpc: Rpc;

  beforeEach(() => {
    connection = connect();
    rpc = new Rpc(connection.channel, rpcOptions);
  });

  afterEach(() => connection.end());

  it('each call gets its own result, in whatever order they come', async () => {
    const held = rpc.call('held', undefined);
    expect(await rpc.call('echo', { n: 1 })).toEqual({ n: 1 });
    expect(rpc.isWaiting).toBe(true);
    await rpc.call('open', 'now');
    expect(await held).toBe('now');
    expect(rpc.isWaiting).toBe(false);
  });

  it('calls and notices arrive in the order in which they were sent', async () => {
    for (let n = 0; n < 100; n++) rpc.notify('note', n);
    const first = rpc.call('notices', undefined);
    rpc.notify('note', 100);
    expect(await first).toEqual(Array.from({ length: 100 }, (_, n) => n));
    expect(await rpc.call('notices', undefined)).toHaveLength(101);
  });

  it('both ends may call', async () => {
    rpc.serve({ double: (n: number) => 2 * n });
    expect(await rpc.call('callBack', 21)).toBe('42');
  });

  it('an error has the form that both ends agreed on', async () => {
    await expect(rpc.call('refuse', undefined)).rejects.toEqual(new RangeError('not today'));
    await expect(rpc.call('no such', undefined)).rejects.toThrow('no such procedure');
  });

  it('a result that cannot be cloned fails its call and no other', async () => {
    await expect(rpc.call('uncloneable', undefined)).rejects.toThrow('could not be cloned');
    expect(await rpc.call('echo', 1)).toBe(1);
  });

  it('a payload that cannot be cloned fails its call, and nothing is pending', async () => {
    await expect(rpc.call('echo', () => undefined)).rejects.toThrow('could not be cloned');
    expect(rpc.isWaiting).toBe(false);
  });

  it('memory in a result is transferred: none of it stays at the other end', async () => {
    expect(await rpc.call('bytes', undefined)).toEqual(new Uint8Array(16).fill(7));
    expect(await rpc.call('bytesLeft', undefined)).toEqual([0]);
  });

  it('a port in a notice is transferred and works at the other end', async () => {
    const { port1, port2 } = new MessageChannel();
    const said = new Promise(resolve => port1.once('message', resolve));
    rpc.notify('port', { port: port2 }, [port2]);
    expect(await said).toBe('here');
    port1.close();
  });

  it('an abandoned call fails, and its late result goes where the caller said', async () => {
    const late: unknown[] = [];
    const abandoned = expect(rpc.call('held', undefined, value => late.push(value))).rejects.toThrow('slow');
    const patient = rpc.call('held', undefined);
    rpc.abandon(new Error('slow'));
    await abandoned;
    await rpc.call('open', 'now');
    expect(await patient).toBe('now');
    expect(late).toEqual(['now']);
    expect(rpc.isWaiting).toBe(false);
  });

  it('an abandoned call that fails late tells nobody', async () => {
    const late: unknown[] = [];
    const abandoned = expect(rpc.call('refuse', undefined, value => late.push(value))).rejects.toThrow(
      'slow',
    );
    rpc.abandon(new Error('slow'));
    await abandoned;
    expect(await rpc.call('echo', 1)).toBe(1);
    expect(late).toEqual([]);
    expect(rpc.isWaiting).toBe(false);
  });

  it('pending and later calls fail when the other end has gone', async () => {
    const held = expect(rpc.call('held', undefined)).rejects.toBeInstanceOf(ThreadGoneError);
    rpc.close();
    await held;
    expect([rpc.isClosed, rpc.isWaiting]).toEqual([true, false]);
    await expect(rpc.call('echo', 1)).rejects.toBeInstanceOf(ThreadGoneError);
    rpc.notify('note', 1);
  });

  it('the reason that pending calls fail with may be given', async () => {
    const held = expect(rpc.call('held', undefined)).rejects.toThrow('replaced');
    rpc.close(new Error('replaced'));
    await held;
    await expect(rpc.call('echo', 1)).rejects.toThrow('replaced');
  });
});

describe('one end', () => {
  let far: MessagePort;
  let near: MessagePort;
  const faults: unknown[] = [];
  let messages = 0;

  beforeEach(() => {
    const { port1, port2 } = new MessageChannel();
    [near, far] = [port1, port2];
    faults.length = 0;
    messages = 0;
  });

  afterEach(() => near.close());

  const open = () =>
    new Rpc(near, { onFault: error => faults.push(String(error)), onMessage: () => messages++ });

  /** Resolves when `rpc` has processed what was posted before. */
  async function settled(rpc: Rpc): Promise<void> {
    const answer = new Promise(resolve => rpc.serve({ last: resolve }));
    far.postMessage({ kind: 'notice', name: 'last', payload: undefined });
    await answer;
  }

  it('passes over results that nothing waits for, also a second one, and what is no message', async () => {
    const rpc = open();
    const asked = rpc.call('echo', 1);
    far.postMessage({ kind: 'result', id: 99, value: 'of nobody' });
    far.postMessage({ kind: 'result', id: 1, value: 'first' });
    far.postMessage({ kind: 'result', id: 1, value: 'second' });
    far.postMessage({ kind: 'failure', id: 1, error: { code: 'X', message: 'third' } });
    for (const odd of [undefined, null, 7, 'text', {}]) far.postMessage(odd);
    far.postMessage({ kind: 'notice', name: 'constructor', payload: 1 });
    await settled(rpc);
    expect(await asked).toBe('first');
    expect(faults).toEqual([]);
  });

  it('reports an exception that no caller can be told of, and goes on', async () => {
    const rpc = open();
    const fail = () => {
      throw new Error('planted');
    };
    rpc.serve({ fail });
    far.postMessage({ kind: 'notice', name: 'fail', payload: undefined });
    rpc.notify('note', fail);
    const asked = rpc.call('echo', 1, fail);
    rpc.abandon(new Error('slow'));
    await expect(asked).rejects.toThrow('slow');
    far.postMessage({ kind: 'result', id: 1, value: 1 });
    await settled(rpc);
    expect(faults).toEqual([
      expect.stringContaining('could not be cloned'),
      'Error: planted',
      'Error: planted',
    ]);
  });

  it('tells of each message once it has been processed', async () => {
    const rpc = open();
    const seen: number[] = [];
    rpc.serve({ note: () => seen.push(messages) });
    for (let n = 0; n < 3; n++) far.postMessage({ kind: 'notice', name: 'note', payload: n });
    await settled(rpc);
    expect(seen).toEqual([0, 1, 2]);
    await new Promise(resolve => setImmediate(resolve));
    expect(messages).toBe(4);
  });

  it('gives code and message of an error unless it was told otherwise', async () => {
    const rpc = open();
    const other = new Rpc(far);
    other.serve({
      coded: () => Promise.reject(Object.assign(new Error('no'), { code: 'REFUSED' })),
      named: () => Promise.reject(new RangeError('no')),
      thrown: () => Promise.reject('text'),
    });
    const failureOf = (name: string) => rpc.call(name, undefined).catch((error: unknown) => error);
    const [coded, named, thrown, missing] = await Promise.all(
      ['coded', 'named', 'thrown', 'missing'].map(failureOf),
    );
    expect(coded).toBeInstanceOf(RemoteCallError);
    expect(coded).toMatchObject({ code: 'REFUSED', message: 'coded: no' });
    expect(named).toMatchObject({ code: 'RangeError', message: 'named: no' });
    expect(thrown).toMatchObject({ code: 'UNKNOWN', message: 'thrown: text' });
    expect(missing).toMatchObject({ code: 'NO_PROCEDURE' });
  });
});
