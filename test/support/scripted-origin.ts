import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a web origin got it. */
export interface OriginRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

type Answering = (request: OriginRequest, response: ServerResponse) => void;

/** A web origin on a real socket that answers as it is told, and remembers what it was asked. */
export class ScriptedOrigin {
  readonly asked: OriginRequest[] = [];
  answer: Answering;
  readonly #server: Server;

  private constructor(answer: Answering) {
    this.answer = answer;
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (request, response) =>
      this.#take(request, response),
    );
  }

  static async start(answer: Answering): Promise<ScriptedOrigin> {
    const origin = new ScriptedOrigin(answer);
    await new Promise<void>(resolve => origin.#server.listen(0, '127.0.0.1', resolve));
    return origin;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get lastAsked(): OriginRequest | undefined {
    return this.asked.at(-1);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>(resolve => this.#server.close(() => resolve()));
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const asked = { method, url, headers, body: Buffer.concat(chunks) };
      this.asked.push(asked);
      this.answer(asked, response);
    });
  }
}
