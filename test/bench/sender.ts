import { once } from 'node:events';
import { connect } from 'node:net';

/** What is sent in one PUT. */
export interface Upload {
  readonly headers: Readonly<Record<string, string>>;
  readonly lengthBytes: number;
  /** The body as it goes over the wire, `lengthBytes` in all. */
  readonly pieces: () => Iterable<Uint8Array>;
}

/** Puts `upload` to `url` on a connection of its own, and gives the head of the answer. */
export async function send(url: string, { headers, lengthBytes, pieces }: Upload): Promise<string> {
  const { hostname, port, host, pathname } = new URL(url);
  const lines = Object.entries({ host, connection: 'close', ...headers, 'content-length': lengthBytes });
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  socket.write(
    `PUT ${pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  for (const piece of pieces()) if (!socket.write(piece)) await once(socket, 'drain');
  await closed;
  return answer;
}
