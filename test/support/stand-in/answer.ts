import type { IncomingHttpHeaders } from 'node:http';
import { bytesContent, type Content } from './content.ts';

/** An object as the stand-in keeps it. */
export interface StoredObject {
  readonly content: Content;
  readonly lastModified: Date;
  /** Further response headers, such as `content-type` or `x-amz-meta-colour`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names of headers that its answers lack. */
  readonly without: readonly string[];
  /** Whether every answer is the whole object, as of a server that knows no ranges. */
  readonly ignoresRange: boolean;
}

/** What goes out for one request: a head, and a part of some content as the body. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Content;
  readonly firstByte: number;
  readonly lengthBytes: number;
}

const noBody = bytesContent('');

/** An answer with a whole body that is given. */
export function plainAnswer(
  status: number,
  body: Uint8Array | string = '',
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const content = bytesContent(body);
  const length = { 'content-length': String(content.sizeBytes) };
  return {
    status,
    headers: { ...length, ...headers },
    content,
    firstByte: 0,
    lengthBytes: content.sizeBytes,
  };
}

/** An error in the store's XML. */
export function errorAnswer(status: number, code: string, message: string): Answer {
  const body =
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<Error><Code>${code}</Code><Message>${message}</Message>` +
    '<RequestId>STANDIN</RequestId><HostId>stand-in</HostId></Error>';
  return plainAnswer(status, body, { 'content-type': 'application/xml' });
}

/**
 * The answer to a GET or HEAD of `object`: If-Match, then If-None-Match, each `*` or one strong tag, then one
 * range. Written for itself: a stand-in that shared the gateway's decisions would agree with its mistakes.
 */
export function objectAnswer(object: StoredObject, request: IncomingHttpHeaders): Answer {
  const { content } = object;
  const ifMatch = request['if-match'];
  if (ifMatch !== undefined && ifMatch !== '*' && ifMatch !== content.entityTag) {
    return errorAnswer(
      412,
      'PreconditionFailed',
      'At least one of the pre-conditions you specified did not hold',
    );
  }
  const headers = {
    etag: content.entityTag,
    'last-modified': object.lastModified.toUTCString(),
    'accept-ranges': 'bytes',
    ...object.headers,
  };
  const ifNoneMatch = request['if-none-match'];
  if (ifNoneMatch === '*' || ifNoneMatch === content.entityTag) {
    return { status: 304, headers, content: noBody, firstByte: 0, lengthBytes: 0 };
  }
  const answer = selectedAnswer(object, headers, object.ignoresRange ? undefined : request.range);
  const left = Object.entries(answer.headers).filter(([name]) => !object.without.includes(name));
  return { ...answer, headers: Object.fromEntries(left) };
}

function selectedAnswer(object: StoredObject, headers: Record<string, string>, range = ''): Answer {
  const { content } = object;
  const selection = select(range, content.sizeBytes);
  if (selection === 'unsatisfiable') {
    const refusal = errorAnswer(416, 'InvalidRange', 'The requested range is not satisfiable');
    return { ...refusal, headers: { ...refusal.headers, 'content-range': `bytes */${content.sizeBytes}` } };
  }
  const whole = { 'content-type': 'binary/octet-stream', ...headers };
  if (selection === 'whole') {
    const length = { 'content-length': String(content.sizeBytes) };
    return {
      status: 200,
      headers: { ...whole, ...length },
      content,
      firstByte: 0,
      lengthBytes: content.sizeBytes,
    };
  }
  const { first, last } = selection;
  const lengthBytes = last - first + 1;
  const part = {
    'content-range': `bytes ${first}-${last}/${content.sizeBytes}`,
    'content-length': String(lengthBytes),
  };
  return { status: 206, headers: { ...whole, ...part }, content, firstByte: first, lengthBytes };
}

type Selection = 'whole' | 'unsatisfiable' | { readonly first: number; readonly last: number };

/** One range of bytes, with both ends, open, or as a suffix; anything else means the whole object. */
function select(range: string, sizeBytes: number): Selection {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  if (from === '' && to === '') return 'whole';
  if (from === '') {
    const suffix = Math.min(Number(to), sizeBytes);
    return suffix === 0 ? 'unsatisfiable' : { first: sizeBytes - suffix, last: sizeBytes - 1 };
  }
  const first = Number(from);
  if (to !== '' && Number(to) < first) return 'whole';
  if (first >= sizeBytes) return 'unsatisfiable';
  return { first, last: to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1) };
}
