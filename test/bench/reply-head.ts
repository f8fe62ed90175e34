/** What the bench looks at in the head of an answer. */
export interface ReplyHead {
  readonly status: number;
  readonly entityTag: string | undefined;
  /** Bytes of body that are promised; undefined when the head names none. */
  readonly lengthBytes: number | undefined;
  /** Where in the object the body begins. */
  readonly firstPosition: number;
}

/** Where the body begins in `received`; undefined while the head is incomplete. */
export function headerEnd(received: Buffer): number | undefined {
  const at = received.indexOf('\r\n\r\n');
  return at < 0 ? undefined : at + 4;
}

/** Reads the head of an HTTP/1.1 answer, one character a byte. */
export function parseReplyHead(text: string): ReplyHead {
  const field = (name: string) => new RegExp(`^${name}: *(.*)\\r$`, 'im').exec(text)?.[1];
  const length = field('content-length');
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
    entityTag: field('etag'),
    lengthBytes: length === undefined ? undefined : Number(length),
    firstPosition: Number(/^bytes (\d+)-/.exec(field('content-range') ?? '')?.[1] ?? 0),
  };
}
