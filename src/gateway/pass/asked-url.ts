import { schemeOf } from '../../transport/peer.ts';
import type { OtherOperation } from './other-operation.ts';

/** The URL that the client has asked for, without its query; without Host a path. */
export function askedUrl({
  exchange,
  request,
  fields,
}: Pick<OtherOperation, 'exchange' | 'request' | 'fields'>): string {
  const target = exchange.url.replace(/\?.*$/s, '');
  // RFC 9112 §3.2.2: a target in absolute form is the URL itself
  if (!target.startsWith('/')) return target;
  // RFC 9110 §4.2.1: a URL has a host
  return fields.host ? `${schemeOf(request)}://${fields.host}${target}` : target;
}
