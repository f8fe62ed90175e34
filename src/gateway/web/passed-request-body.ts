import type { IncomingMessage } from 'node:http';
import { requireWithinLimit } from '../pass/write/body-limit.ts';
import { ClientBody } from '../pass/write/client-body.ts';
import { paceOf } from '../pass/write/upload-pace.ts';
import type { ExchangeObserver } from '../reply/exchange-observer.ts';
import type { Exchange } from '../request/exchange.ts';
import type { WebBucket } from './web-target.ts';

/** Makes the body of a request. @param refused called once if that breaks off or is too long */
export type BodyMaker = (refused: (error: unknown) => void) => ClientBody | undefined;

interface ReceivedRequest {
  readonly request: IncomingMessage;
  readonly bucket: WebBucket;
  readonly exchange: Exchange;
}

/**
 * The body of a request on its way to a web origin, as it is; undefined where there is none.
 *
 * @param refused called once if the body breaks off or is too long
 * @throws S3Error EntityTooLarge
 */
export function passedBodyOf(
  { request, bucket, exchange }: ReceivedRequest,
  observer: ExchangeObserver,
  refused: (error: unknown) => void,
): ClientBody | undefined {
  if (!hasBody(request)) return undefined;
  const announced = request.headers['content-length'];
  const lengthBytes = announced === undefined ? undefined : Number(announced);
  requireWithinLimit(bucket, lengthBytes ?? 0);
  const received = observer.receives(exchange);
  return new ClientBody(request, {
    convert: send => {
      let sentBytes = 0;
      return {
        lengthBytes,
        payloadHash: '',
        take: bytes => {
          sentBytes += bytes.length;
          requireWithinLimit(bucket, sentBytes);
          send(bytes);
        },
        end: () => undefined,
      };
    },
    pace: paceOf(exchange, observer),
    arrived: arrivedBytes => received.arrived(arrivedBytes),
    refused,
  });
}

/** HTTP/2 frames a body that no field announces (RFC 9113 §8.1). */
export function hasBody(request: IncomingMessage): boolean {
  const { headers, httpVersionMajor, complete } = request;
  if (httpVersionMajor === 2) return !complete;
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}
