import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { onLimit, type QuestionLimits } from './question-limits.ts';

/** Credentials take a few kilobytes. */
const ANSWER_LIMIT_BYTES = 64 * 1024;

/** A credential service gave no usable answer. The message quotes none of it. */
class CredentialServiceError extends Error {
  readonly code = 'SERVICE_FAILED';
}

interface ServiceQuestion {
  readonly method?: 'GET' | 'PUT';
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Asks a service for credentials over a connection of its own. Redirects are not followed.
 *
 * @returns the body of a 200
 * @throws CredentialServiceError; errors of the system when there is no connection
 */
export function askService(
  url: URL,
  { method = 'GET', headers = {} }: ServiceQuestion,
  limits: QuestionLimits,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = open(url, { method, headers, agent: false });
  const end = (why: string) => request.destroy(new CredentialServiceError(`the service ${why}`));
  const limit = onLimit(limits, end);
  request.once('error', reject);
  request.once('response', response => {
    const chunks: Buffer[] = [];
    let lengthBytes = 0;
    if (response.statusCode !== 200) end(`answered ${response.statusCode}`);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      lengthBytes += chunk.length;
      if (lengthBytes > ANSWER_LIMIT_BYTES) end('answered too much');
    });
    response.once('error', reject);
    response.once('end', () => resolve(Buffer.concat(chunks).toString()));
  });
  request.end();
  return promise.finally(() => limit.cancel());
}

/** @throws CredentialServiceError if the text is not a JSON object; the parser's own message would quote it */
export function readDocument(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // see above
  }
  throw new CredentialServiceError('the answer of the service is not JSON');
}
