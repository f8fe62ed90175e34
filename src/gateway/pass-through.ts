import type { StoreCall, StoreReplyHead, StoreRequest } from '../backend/store.ts';
import { rawFromFields } from '../s3/dialect.ts';
import type { Bucket } from './bucket.ts';
import type { Exchange } from './exchange.ts';
import type { ExchangeObserver } from './exchange-observer.ts';
import { bypassed } from './reply/cache-status.ts';
import { asS3Error, replyError } from './reply/error-reply.ts';
import { PreparedHeaders } from './reply/prepared-headers.ts';

const ofTheConnection = new Set(['connection', 'date', 'keep-alive', 'server', 'transfer-encoding']);

/** Asks the store and gives its answer on as it comes: nothing of it is kept. */
export function passThrough(exchange: Exchange, bucket: Bucket, request: StoreRequest, observer: ExchangeObserver, detail?: string): void {
  const { response } = exchange;
  exchange.report = bypassed(detail);
  const end = () => {
    response.off('close', left);
    observer.sent(exchange);
  };
  const left = () => {
    call.abort();
    exchange.hasClientLeft = true;
    end();
  };
  response.on('close', left);
  const call: StoreCall = bucket.store.send(request, {
    answered: head => writeHead(exchange, head, observer),
    arrived: chunk => {
      exchange.bodyBytes += chunk.length;
      if (response.write(Buffer.from(chunk))) return;
      call.pause();
      response.once('drain', () => call.resume());
    },
    ended: () => {
      response.end();
      end();
    },
    failed: error => {
      exchange.failure = error;
      if (response.headersSent) response.destroy();
      else replyError(exchange, asS3Error(error));
      end();
    },
  });
}

function writeHead(exchange: Exchange, head: StoreReplyHead, observer: ExchangeObserver): void {
  const field = (name: string) => head.fields.find(one => one.store && one.name === name)?.value;
  const fields = head.fields.filter(({ name, store }) => (store ? name !== 'request-id' && name !== 'id-2' : !ofTheConnection.has(name)));
  const headers = new PreparedHeaders(rawFromFields(fields, exchange.prefix), exchange.prefix);
  exchange.status = head.status;
  exchange.firstByteMs = observer.nowMs();
  const ids = { requestId: field('request-id') ?? exchange.requestId, id2: field('id-2') ?? exchange.id2 };
  exchange.response.writeHead(head.status, headers.fill({ ...exchange.report, ageS: undefined, ...ids }));
}
