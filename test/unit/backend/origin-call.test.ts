import type { IncomingHttpHeaders } from 'node:http';
import { expect, it } from 'vitest';
import { OriginCall, type OriginReceiver } from '../../../src/backend/origin-call.ts';
import { RepeatedAnswers } from '../../../src/backend/repeated-answers.ts';
import { ReadBuffer } from '../../../src/transport/read-buffer.ts';
import { ask, RawOrigin } from '../../support/raw-origin.ts';

/** Notes what a call asks of undici. */
class Controller {
  readonly did: string[] = [];
  readonly rawHeaders = ['transfer-encoding', 'chunked'];
  readonly rawTrailers = [];
  readonly headers: IncomingHttpHeaders = {};
  readonly aborted = false;
  readonly paused = false;
  readonly reason = null;

  pause(): void {
    this.did.push('pause');
  }

  resume(): void {
    this.did.push('resume');
  }

  abort(): void {
    this.did.push('abort');
  }
}

const connections = () => ({ readBuffer: new ReadBuffer(), repeated: new RepeatedAnswers() });

function start(onChunk: (call: OriginCall) => void) {
  const got: string[] = [];
  const receiver: OriginReceiver = {
    answered: () => undefined,
    arrived: chunk => {
      got.push(chunk.toString());
      onChunk(call);
    },
    ended: () => got.push('end'),
    failed: error => got.push(error.code),
  };
  const call = new OriginCall({ method: 'GET' }, receiver, connections(), () => got.push('over'));
  const controller = new Controller();
  call.onRequestStart(controller);
  call.onResponseStart(controller, 200);
  return { call, controller, got };
}

const microtasks = async () => {
  for (let count = 0; count < 5; count++) await Promise.resolve();
};

it('a paused call gives nothing of what was gathered before it is resumed', async () => {
  const { call, controller, got } = start(() => undefined);
  call.onResponseData(controller, Buffer.from('a'));
  call.pause();
  await microtasks();
  expect(got).toEqual([]);
  call.resume();
  await microtasks();
  expect(got).toEqual(['a']);
  expect(controller.did).toEqual(['pause', 'resume']);
});

it('a call that is paused and resumed as it gives what was gathered goes on once all was given', async () => {
  const { call, controller, got } = start(one => {
    one.pause();
    one.resume();
    controller.did.push('taken');
  });
  call.onResponseData(controller, Buffer.from('a'));
  call.pause();
  call.resume();
  await microtasks();
  expect(got).toEqual(['a']);
  expect(controller.did).toEqual(['pause', 'pause', 'taken', 'resume']);
});

it('what was gathered of an aborted call is not given', async () => {
  const { call, controller, got } = start(() => undefined);
  call.onResponseData(controller, Buffer.from('a'));
  call.abort();
  await microtasks();
  expect(got).toEqual(['over']);
  expect(controller.did).toEqual(['abort']);
});

it.each([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ERR_SSL_BAD_RECORD_TYPE',
  'CERT_HAS_EXPIRED',
  'UND_ERR_CONNECT_TIMEOUT',
])('after %s nothing was sent, if there was no connection; else the store may have got it all', code => {
  const codes: string[] = [];
  const receiver: OriginReceiver = {
    ...{ answered: () => undefined, arrived: () => undefined, ended: () => undefined },
    failed: error => codes.push(error.code),
  };
  const controller = new Controller();
  const [unsent, sent] = [1, 2].map(
    () => new OriginCall({ method: 'PUT' }, receiver, connections(), () => undefined),
  );
  const error = Object.assign(new Error(code), { code });
  unsent?.onResponseError(controller, error);
  sent?.onRequestStart(controller);
  sent?.onResponseError(controller, error);
  expect(codes).toEqual(['UNREACHABLE', 'BROKEN']);
});

it('white space around values is no part of them (RFC 9112 §5.1)', async () => {
  const origin = await RawOrigin.start('http', (_path, connection) => {
    connection.write(
      'HTTP/1.1 200 OK\r\nETag: "a" \t \r\nX-A:\t b c\t\r\nX-B:   \r\nX-C: \xa0\r\n',
      'latin1',
    );
    connection.end('Content-Length: 0\r\n\r\n');
  });
  const pool = origin.pool();
  const { headers } = await ask(pool, '/');
  expect(headers).toEqual([
    ...['ETag', '"a"', 'X-A', 'b c', 'X-B', '', 'X-C', '\xa0'],
    ...['Content-Length', '0'],
  ]);
  await pool.close();
  await origin.close();
});
