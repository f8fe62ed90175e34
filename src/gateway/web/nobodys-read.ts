import { refusedBeforeLookup } from '../request/cache-status.ts';
import { fieldsOfNobody, fieldsOfPlace } from './outgoing-fields.ts';
import { noFields, type WebClient, WebRead } from './web-read.ts';
import { addressOfPage, documentOf, type WebPage, webTarget } from './web-target.ts';

/** In whose name is asked what no client has asked for. It is answered nothing. */
const nobody: WebClient = {
  quota: 'nobody',
  report: refusedBeforeLookup,
  answer: () => undefined,
  wait: () => {
    throw new Error('nobody waits');
  },
  refuse: () => undefined,
  whenGone: then => then(),
};

/** Asks for all of a page without `pageProblem`, with no more than the gateway itself says. */
export function nobodysRead(page: WebPage, nowMs: number): WebRead {
  const { address: named, scheme } = addressOfPage(page);
  const address = documentOf(named);
  const { bucket, path, host } = address;
  const request = {
    ...{ method: 'GET', operation: 'GET', fields: noFields, address, nowMs, trace: undefined },
    scheme: scheme === 'https' ? scheme : 'http',
    target: webTarget(named, scheme),
  } as const;
  const sent = fieldsOfNobody(fieldsOfPlace(bucket.web, request.scheme, host), []);
  return new WebRead(request, nobody, () => bucket.rulesFor(path).requests?.applied(sent) ?? sent);
}
