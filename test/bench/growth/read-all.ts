import { connect } from 'node:net';
import { headerEnd, parseReplyHead } from '../reply-head.ts';
import { contentAt } from './small-objects.ts';

/** What came of many reads. */
interface ManyReads {
  /** Answers that were not the object. */
  readonly wrong: number;
  readonly slowestMs: number;
}

/** Reads each of `paths` once, over some connections, each with one request at a time. */
export async function readAll(url: string, paths: Iterable<string>, connections: number): Promise<ManyReads> {
  const { hostname, port } = new URL(url);
  const left = paths[Symbol.iterator]();
  const result = { wrong: 0, slowestMs: 0 };
  const onOneConnection = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      let [path, sentMs] = ['', 0];
      let received: Buffer = Buffer.alloc(0);
      const ask = () => {
        const next = left.next();
        if (next.done) {
          socket.destroy();
          resolve();
          return;
        }
        path = next.value;
        received = Buffer.alloc(0);
        sentMs = performance.now();
        socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
      };
      socket.on('data', (chunk: Buffer) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
        const bodyStart = headerEnd(received);
        if (bodyStart === undefined) return;
        const { status, lengthBytes = 0 } = parseReplyHead(received.toString('latin1', 0, bodyStart));
        if (received.length < bodyStart + lengthBytes) return;
        const content = contentAt(path);
        if (status !== 200 || !content?.equals(received.subarray(bodyStart))) result.wrong++;
        result.slowestMs = Math.max(result.slowestMs, performance.now() - sentMs);
        ask();
      });
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the gateway closed a connection')));
      ask();
    });
  await Promise.all(Array.from({ length: connections }, onOneConnection));
  return result;
}
