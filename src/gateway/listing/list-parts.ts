import { sendAndCollect } from '../../backend/store.ts';
import { isElement, readXml, type XmlElement } from '../../s3/xml-reader.ts';
import { WrongAnswerError } from '../fill/fill-error.ts';
import type { OtherOperation } from '../other-operation.ts';
import { passedRequest } from '../passed-request.ts';
import { bypassed } from '../reply/cache-status.ts';
import { replyAsStored, replyRefusal } from '../reply/refusal-reply.ts';
import { around, leaf, write } from './write-listing.ts';

/** A page has at most a thousand parts of a few hundred bytes. */
const limitBytes = 4 * 1024 * 1024;

/** Answers ListParts, the one passed operation whose answer names bucket and key, in the names that clients use. */
export function listParts(other: OtherOperation): void {
  const { exchange, bucket, address, permissions, observer } = other;
  const key = address.kind === 'object' ? address.key : '';
  const passed = passedRequest(other);
  exchange.report = bypassed('operation');
  observer.waitsForStore(exchange);
  const left = new AbortController();
  const leave = () => left.abort();
  exchange.response.once('close', leave);
  const ask = async () => {
    const reply = await sendAndCollect(bucket.store, passed, limitBytes, left.signal);
    if (reply.status !== 200) replyRefusal(exchange, bucket, reply, permissions.allows('ListBucket', key));
    else replyAsStored(exchange, { ...reply, body: inClientNames(reply.body, bucket.name, key) });
  };
  const fail = (error: unknown) => {
    if (!left.signal.aborted) throw error;
    exchange.hasClientLeft = true;
  };
  ask()
    .catch(fail)
    .then(() => {
      exchange.response.off('close', leave);
      observer.sent(exchange);
    })
    .catch(error => {
      exchange.response.off('close', leave);
      exchange.refuse(error);
    });
}

/** @throws WrongAnswerError for what is no list of parts */
function inClientNames(body: Buffer, bucket: string, key: string): Buffer {
  const limits = { length: limitBytes, depth: 16 };
  const root = body.length < limitBytes ? readXml(body.toString(), limits) : undefined;
  if (root?.name !== 'ListPartsResult') throw new WrongAnswerError('parts that are no ListPartsResult');
  const names = new Map([
    ['Bucket', bucket],
    ['Key', key],
  ]);
  const told = (element: XmlElement) => {
    const name = names.get(element.name);
    return name === undefined ? write(element) : leaf(element.name, name);
  };
  const content = root.children.filter(isElement).map(told).join('');
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${around(root, content)}`);
}
