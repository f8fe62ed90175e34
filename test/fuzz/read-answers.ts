/** One answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/**
 * The answers in `bytes`, of which each belongs to one of `methods`; undefined when they are no HTTP. What is cut off at
 * the end is left out.
 *
 * @param hasEnded whether nothing more comes: then a body without length is over.
 */
export function readAnswers(
  bytes: Buffer,
  methods: readonly string[],
  hasEnded: boolean,
): WireAnswer[] | undefined {
  const answers: WireAnswer[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n\r\n', at, 'latin1');
    if (end < 0) return answers;
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
    if (Number.isNaN(status)) return undefined;
    const headers = new Map(
      lines.map(line => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    at = end + 4;
    if (status < 200) continue;
    const rest = bytes.subarray(at);
    const body = bodyOf(rest, status, headers, methods[answers.length] ?? 'GET', hasEnded);
    if (!body) return answers;
    answers.push({ status, headers, body: body.content });
    at += body.takenBytes;
  }
  return answers;
}

/** The body at the beginning of `rest`; undefined while it is not all there. */
function bodyOf(
  rest: Buffer,
  status: number,
  headers: ReadonlyMap<string, string>,
  method: string,
  hasEnded: boolean,
): { readonly content: Buffer; readonly takenBytes: number } | undefined {
  if (method === 'HEAD' || status === 204 || status === 304)
    return { content: Buffer.alloc(0), takenBytes: 0 };
  const length = headers.get('content-length');
  if (length !== undefined)
    return rest.length < Number(length)
      ? undefined
      : { content: rest.subarray(0, Number(length)), takenBytes: Number(length) };
  if (headers.get('transfer-encoding') === 'chunked') return unchunked(rest);
  return hasEnded ? { content: rest, takenBytes: rest.length } : undefined;
}

function unchunked(rest: Buffer): { readonly content: Buffer; readonly takenBytes: number } | undefined {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = rest.indexOf('\r\n', at, 'latin1');
    if (end < 0) return undefined;
    const size = Number.parseInt(rest.toString('latin1', at, end), 16);
    if (Number.isNaN(size) || rest.length < end + size + 4) return undefined;
    chunks.push(rest.subarray(end + 2, end + 2 + size));
    at = end + size + 4;
    if (size === 0) return { content: Buffer.concat(chunks), takenBytes: at };
  }
}
