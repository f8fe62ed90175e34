import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import { listenLocally } from './listen-locally.ts';

/** The account that may use the queue. */
export const queueAccount = {
  accessKeyId: 'QUEUE',
  secretAccessKey: 'queue-secret-key',
  sessionToken: 'queue-token',
};

interface Question {
  readonly action: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * A queue that speaks the JSON protocol of SQS, whose every answer a test decides: it checks signatures with another's signer,
 * keeps questions waiting while it has no message, and never gives a message twice.
 */
export class StandInQueue {
  readonly url: string;
  readonly questions: Question[] = [];
  /** Receipts of what was deleted. */
  readonly deleted: string[] = [];
  /** Answers that are given in place of its own, first come. */
  readonly faults: { readonly status: number; readonly body: string }[] = [];
  /** Receipts of what it does not delete. */
  readonly undeletable = new Set<string>();
  readonly #server: Server;
  #messages: { readonly MessageId: string; readonly ReceiptHandle: string; readonly Body: string }[] = [];
  #waiting: (() => void)[] = [];
  #sent = 0;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = `${url}/123456789012/events`;
    server.on('request', (request, reply) => void this.#answer(request, reply));
  }

  static async start(): Promise<StandInQueue> {
    const server = createServer();
    return new StandInQueue(server, await listenLocally(server));
  }

  /** Questions that wait for a message. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Puts a message in; its receipt. */
  send(body: string): string {
    const number = String(++this.#sent);
    this.#messages.push({ MessageId: `m${number}`, ReceiptHandle: `r${number}`, Body: body });
    this.wake();
    return `r${number}`;
  }

  /** Answers the questions that wait, as after their time. */
  wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const answer of waiting) answer();
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const body = (await json(request)) as Record<string, unknown>;
    const action = String(request.headers['x-amz-target']).replace('AmazonSQS.', '');
    this.questions.push({ action, body });
    const fault = this.faults.shift();
    if (fault) return void reply.writeHead(fault.status).end(fault.body);
    if (!(await isSigned(request, JSON.stringify(body))))
      return sendError(reply, 'com.amazon.coral.service#InvalidSignatureException');
    if (body.QueueUrl !== this.url) return sendError(reply, 'com.amazonaws.sqs#QueueDoesNotExist');
    if (action === 'GetQueueAttributes') return send(reply, { Attributes: { VisibilityTimeout: '30' } });
    if (action === 'DeleteMessageBatch') return send(reply, this.#delete(body.Entries as Entry[]));
    if (this.#messages.length > 0) return send(reply, { Messages: this.#messages.splice(0, 10) });
    const answer = () =>
      send(reply, this.#messages.length > 0 ? { Messages: this.#messages.splice(0, 10) } : {});
    this.#waiting.push(answer);
    reply.once('close', () => {
      this.#waiting = this.#waiting.filter(each => each !== answer);
    });
  }

  #delete(entries: readonly Entry[]): object {
    const failed = entries.filter(({ ReceiptHandle }) => this.undeletable.has(ReceiptHandle));
    const done = entries.filter(entry => !failed.includes(entry));
    this.deleted.push(...done.map(({ ReceiptHandle }) => ReceiptHandle));
    return {
      Successful: done.map(({ Id }) => ({ Id })),
      Failed: failed.map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault: false })),
    };
  }
}

interface Entry {
  readonly Id: string;
  readonly ReceiptHandle: string;
}

function send(reply: ServerResponse, answer: object): void {
  reply.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answer));
}

function sendError(reply: ServerResponse, type: string): void {
  reply.writeHead(400).end(JSON.stringify({ __type: type, message: 'for AKIDSECRETPART' }));
}

async function isSigned({ headers, url = '' }: IncomingMessage, body: string): Promise<boolean> {
  const sent = headers.authorization;
  if (sent === undefined) return false;
  const { Credential = '', SignedHeaders = '' } = Object.fromEntries(
    [...sent.matchAll(/(\w+)=([^, ]+)/g)].map(([, name, value]) => [name, value]),
  );
  const [, , region = '', service = ''] = Credential.split('/');
  const signed = Object.fromEntries(
    String(SignedHeaders)
      .split(';')
      .map(name => [name, String(headers[name])]),
  );
  const [hostname = '', port = ''] = String(headers.host).split(':');
  const signer = new SignatureV4({ credentials: queueAccount, region, service, sha256: Sha256 });
  const date = String(headers['x-amz-date']);
  const theirs = await signer.sign(
    {
      ...{ method: 'POST', protocol: 'http:', hostname, port: Number(port), path: url, query: {} },
      headers: signed,
      body,
    },
    { signingDate: new Date(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5')) },
  );
  return service === 'sqs' && theirs.headers.authorization === sent;
}
