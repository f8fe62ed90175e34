import type { DeclaredPayload } from '../../../s3/declared-payload.ts';
import { PayloadVerifier } from '../../../s3/payload-verifier.ts';
import { letContinue, passOverRest } from '../../../transport/request-bodies.ts';
import type { OtherOperation } from '../other-operation.ts';
import { brokenBody } from './broken-body.ts';

/**
 * Reads a body that is needed whole, of the length that it declares, which must be bounded before. Rejects with the
 * S3Error of a body that is not what was declared, or breaks off.
 */
export function readWhole(
  { request, exchange, observer }: OtherOperation,
  declared: DeclaredPayload,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const content = Buffer.allocUnsafeSlow(declared.lengthBytes);
  let lengthBytes = 0;
  const verifier = new PayloadVerifier(declared, exchange.prefix, bytes => {
    content.set(bytes, lengthBytes);
    lengthBytes += bytes.length;
  });
  const received = observer.receives(exchange);
  const stop = () => {
    request.off('data', arrived).off('end', ended).off('close', broken);
    passOverRest(request);
  };
  const step = (work: () => void) => {
    try {
      work();
    } catch (error) {
      stop();
      reject(error);
    }
  };
  const arrived = (bytes: Buffer) => {
    received.arrived(bytes.length);
    step(() => verifier.write(bytes));
  };
  const ended = () =>
    step(() => {
      verifier.end();
      stop();
      resolve(content);
    });
  const broken = (why?: unknown) =>
    step(() => {
      throw brokenBody(why);
    });
  request.on('data', arrived).on('end', ended).on('close', broken).on('error', broken);
  if (request.destroyed) broken();
  letContinue(request, exchange.response);
  return promise;
}
