import { connect } from 'node:net';

/** One answer as its bytes came. */
interface Heard {
  readonly head: string;
  readonly body: string;
}

/**
 * Says `text` on one connection, exactly so, and hears `count` answers, of which each has a Content-Length or no body.
 * Rejects when the connection ends before.
 */
export function talk(origin: string, text: string, count: number): Promise<readonly Heard[]> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let received = '';
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`the connection was closed after ${received}`)));
    socket.on('data', chunk => {
      received += chunk;
      const heard = answersIn(received);
      if (heard.length < count) return;
      resolve(heard);
      socket.destroy();
    });
    socket.write(text, 'latin1');
  });
}

/** All answers that `received` holds whole. */
function answersIn(received: string): Heard[] {
  const answers: Heard[] = [];
  for (let at = 0; ; ) {
    const end = received.indexOf('\r\n\r\n', at);
    if (end < 0) return answers;
    const head = received.slice(at, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    at = end + 4 + length;
    if (received.length < at) return answers;
    answers.push({ head, body: received.slice(end + 4, at) });
  }
}
