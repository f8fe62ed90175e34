import { hash } from 'node:crypto';
import type { ReadableRecord } from '../../cache/record.ts';
import { isKnownCoding } from '../../http/vary.ts';
import { isOfServer, isOfTarget } from '../../http/whose-error.ts';
import { fieldValue } from '../../s3/dialect.ts';
import { unconditionalFields } from './confirmation.ts';
import { hasUnnamedSelector } from './outgoing-fields.ts';
import { isNamedStatus, isStorable } from './storable-answer.ts';
import { type ArrivedHead, isOfUse, readWebHead, type WebHead } from './stored-answer.ts';
import type { WebRead } from './web-read.ts';

/**
 * What is said of one request: its conditions and range, who sent it, and fields that are in no key. However it is dated, it is
 * no answer for others, whose requests are other ones.
 */
const ofOneRequest: ReadonlySet<number> = new Set([
  ...[304, 400, 401, 403, 406, 407, 408, 411, 412, 413, 415, 416, 417, 421, 422, 425, 426, 428, 429, 431],
]);

/** A part in units of the origin's own comes as a 200, too (RFC 9110 §14.2). */
export function isOfOneRequest(
  { fields: { range, ifRange }, sent, policy }: WebRead,
  { status, fields, vary }: WebHead,
): boolean {
  if (hasUnnamedSelector(sent, vary)) return true;
  // whoever configures the origin knows what it means by that status
  if (ofOneRequest.has(status) && !isNamedStatus(status, policy)) return true;
  // who asks so has the other fields of the whole already, so that most are left out (RFC 9110 §15.3.7)
  if (status === 206 && ifRange !== undefined) return true;
  // variants are told apart by codings that are known
  if (vary.includes('accept-encoding') && !isKnownCoding(fieldValue(fields, 'content-encoding'))) return true;
  return status !== 206 && range !== undefined && fields.some(({ name }) => name === 'content-range');
}

/**
 * Why an answer is for the first alone. An error that is not of the target says nothing of what others get, nor does one that was
 * `lost` here, or a question that is `silent` still. It may be for what its request has sent (conditions, credentials where nothing
 * is said of others), or for its sender, as far as the answer tells; otherwise all would get one of their own. Who selects another
 * `variant` than it is has heard nothing yet of what it gets.
 */
export type AloneBecause = 'error' | 'lost' | 'silent' | 'variant' | 'request' | 'sender' | 'answer';

/** Why an answer is for nobody else. */
export function aloneBecause(read: WebRead, head: WebHead, isUnkept: boolean): AloneBecause {
  if (isOfServer(head.status)) return 'error';
  const { noStore, private: isPrivate } = head.control;
  if (noStore || isPrivate) return 'sender';
  return read.isPersonal || isUnkept || isOfOneRequest(read, head) ? 'request' : 'answer';
}

/** Whether the whole of an answer, of which this is told, could be kept for others, had `read` asked for that. */
export function couldBeForAll(read: WebRead, { head, times }: ArrivedHead): boolean {
  // what a 304 confirms can be confirmed, whichever validators it repeats
  return couldBeOfOthers(read, head) && (head.status === 304 || isOfUse(head, read.policy, times));
}

/** The same whether or not it is ever of use: HEAD may leave validators out, which says nothing. */
export function couldBeOfOthers(read: WebRead, head: WebHead): boolean {
  const whole = wholeOf(head);
  return !isOfOneRequest(read, whole) && isStorable(read, 'GET', whole, false);
}

/**
 * Whether an answer for its reader alone tells that others may get one each: an origin that fails, or wants fewer requests, may be
 * well again, and what a request has asked for otherwise says nothing of the whole.
 */
export function tellsOfOthers(read: WebRead, head: WebHead): boolean {
  if (head.status === 401 || head.status === 403) return true;
  return !isOfServer(head.status) && head.status !== 206 && !isOfOneRequest(read, wholeOf(head));
}

/**
 * Whom an answer that has no body tells something, beside `read`, whose it is: that to HEAD, or a 304 to who has the content. All, or
 * those who have sent the very same; undefined for nobody.
 */
export function toldWithoutBody(read: WebRead, arrived: ArrivedHead): 'all' | 'alike' | undefined {
  const { status } = arrived.head;
  if (read.method !== 'HEAD' && status !== 304) return undefined;
  if (couldBeForAll(read, arrived)) return 'all';
  return isOfTarget(status) && couldBeOfOthers(read, arrived.head) ? 'alike' : undefined;
}

/** What a 304 is about. */
export function wholeOf(head: WebHead): WebHead {
  return head.status === 304 ? readWebHead({ status: 200, fields: head.fields }) : head;
}

/** Whether an answer like `record` could be kept for others, were it asked for as `read` asks. */
export function mayBeRenewedFor(read: WebRead, { answer, fields }: ReadableRecord): boolean {
  const head = readWebHead({ status: answer?.status ?? 200, fields });
  return !isOfOneRequest(read, head) && isStorable(read, 'GET', head, read.directives?.noStore ?? false);
}

/** Whether two requests tell the origin something else, ranges and conditions aside. */
export function asksOtherwise(one: WebRead, other: WebRead): boolean {
  return digestOf(one) !== digestOf(other);
}

/** Who waits is compared again and again; a digest is short, however much each of thousands has sent. */
const digests = new WeakMap<WebRead, string>();

function digestOf(read: WebRead): string {
  let digest = digests.get(read);
  if (digest === undefined) {
    const told = unconditionalFields(read.sent).map(({ name, value }) => [name, value]);
    digest = hash('sha256', JSON.stringify(told), 'base64');
    digests.set(read, digest);
  }
  return digest;
}
