import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, expect, it } from 'vitest';
import { Admission, TooManyRequestsError } from '../../../../src/gateway/request/admission.ts';
import { Exchange } from '../../../../src/gateway/request/exchange.ts';
import { rememberPeer } from '../../../../src/transport/peer.ts';

let admission: Admission;

beforeEach(() => {
  admission = new Admission({
    urlBytes: 1,
    requests: 3,
    requestsPerAddress: 2,
    requestsPerAccessKey: 1,
    connectionsPerAccessKey: 10_000,
  });
});

/** A request of the client at `address`, and how its connection is closed. */
function requestFrom(address: string) {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
  const response = new ServerResponse(new IncomingMessage(socket));
  response.assignSocket(socket);
  const ends = { refuse: () => undefined, fault: () => undefined };
  const exchange = new Exchange(response, 'GET', '/b/k', 0, 'id', 'id2', { now: 'today' }, ends);
  const close = async () => {
    const closed = once(response, 'close');
    socket.destroy();
    await closed;
  };
  return { exchange, close };
}

it('a request counts once, however many requests to stores it makes, until its response is closed', async () => {
  const { exchange, close } = requestFrom('1.1.1.1');
  for (let call = 0; call < 5; call++) admission.admit(exchange);
  expect(admission.waiting).toEqual({ requests: 1, clients: 1 });
  await close();
  expect(admission.waiting).toEqual({ requests: 0, clients: 0 });
});

it('requests through a trusted proxy count for the clients that it names', () => {
  const behindProxy = (client: string) => {
    const { exchange } = requestFrom('10.0.0.1');
    const { req } = exchange.response;
    rememberPeer(req.socket, { address: '10.0.0.1', isTrusted: address => address === '10.0.0.1' });
    req.rawHeaders = ['X-Forwarded-For', client];
    return exchange;
  };
  admission.admit(behindProxy('1.1.1.1'));
  admission.admit(behindProxy('1.1.1.1'));
  expect(() => admission.admit(behindProxy('1.1.1.1'))).toThrow(TooManyRequestsError);
  admission.admit(behindProxy('2.2.2.2'));
  expect(admission.waiting).toEqual({ requests: 3, clients: 2 });
});

it('requests above the limit in total, or of one client, are refused and do not count', async () => {
  const [first, second, third] = [requestFrom('1.1.1.1'), requestFrom('1.1.1.1'), requestFrom('1.1.1.1')];
  admission.admit(first.exchange);
  admission.admit(second.exchange);
  expect(() => admission.admit(third.exchange)).toThrow(TooManyRequestsError);
  const [other, another] = [requestFrom('2.2.2.2'), requestFrom('3.3.3.3')];
  admission.admit(other.exchange);
  expect(() => admission.admit(another.exchange)).toThrow(TooManyRequestsError);
  expect(admission.waiting).toEqual({ requests: 3, clients: 2 });
  await another.close();
  expect(admission.waiting.requests).toBe(3);
  await first.close();
  admission.admit(third.exchange);
  expect(admission.waiting).toEqual({ requests: 3, clients: 2 });
});

it('a request whose client has left meanwhile takes no place: nothing would give it back', async () => {
  const { exchange, close } = requestFrom('1.1.1.1');
  await close();
  admission.admit(exchange);
  expect(admission.waiting).toEqual({ requests: 0, clients: 0 });
});

it('requests of one access key from several addresses are refused above its limit, and those of another are not', async () => {
  const [first, second, other] = [requestFrom('1.1.1.1'), requestFrom('2.2.2.2'), requestFrom('3.3.3.3')];
  first.exchange.caller = second.exchange.caller = 'AKIDONE';
  other.exchange.caller = 'AKIDTWO';
  admission.admit(first.exchange);
  admission.admit(first.exchange);
  expect(() => admission.admit(second.exchange)).toThrow(TooManyRequestsError);
  admission.admit(other.exchange);
  // it has its place among all until its refusal is sent
  expect(admission.waiting.requests).toBe(3);
  await second.close();
  await first.close();
  expect(admission.waiting.requests).toBe(1);
  const next = requestFrom('2.2.2.2');
  next.exchange.caller = 'AKIDONE';
  admission.admit(next.exchange);
  expect(admission.waiting.requests).toBe(2);
});

it('a request counts for its access key as soon as that is known, and until its writes are over', async () => {
  const [form, next] = [requestFrom('1.1.1.1'), requestFrom('2.2.2.2')];
  admission.admit(form.exchange);
  form.exchange.caller = next.exchange.caller = 'AKIDONE';
  admission.admit(form.exchange);
  const written = form.exchange.beginWrite();
  await form.close();
  expect(() => admission.admit(next.exchange)).toThrow(TooManyRequestsError);
  written();
  admission.admit(next.exchange);
});

it('a refusal names the limit that was reached', async () => {
  const reached = (addresses: readonly string[], caller?: string) => {
    const crowded = new Admission({
      urlBytes: 1,
      requests: 3,
      requestsPerAddress: 2,
      requestsPerAccessKey: 1,
      connectionsPerAccessKey: 10_000,
    });
    for (const address of addresses) {
      const { exchange } = requestFrom(address);
      exchange.caller = caller;
      crowded.admit(exchange);
    }
  };
  expect(() => reached(['1.1.1.1', '1.1.1.1', '1.1.1.1'])).toThrow('(limits.requestsPerAddress)');
  expect(() => reached(['1.1.1.1', '1.1.1.1', '2.2.2.2', '3.3.3.3'])).toThrow('(limits.requests)');
  expect(() => reached(['1.1.1.1', '2.2.2.2'], 'AKID')).toThrow('(limits.requestsPerAccessKey)');
});

it('the connections of an access key are those on which it has signed, until they are closed', async () => {
  admission.limit({
    ...{ urlBytes: 1, requests: 9, requestsPerAddress: 9, requestsPerAccessKey: 9 },
    connectionsPerAccessKey: 2,
  });
  const signedBy = (caller: string, one = requestFrom('1.1.1.1')) => {
    one.exchange.caller = caller;
    return one;
  };
  const [first, second] = [signedBy('A'), signedBy('A')];
  for (const { exchange } of [first, second, first]) admission.admitConnection(exchange);
  const third = signedBy('A');
  for (let times = 0; times < 2; times++)
    expect(() => admission.admitConnection(third.exchange)).toThrow('(limits.connectionsPerAccessKey)');
  expect(() => admission.admit(third.exchange), 'as the caller of a form').toThrow(TooManyRequestsError);
  admission.admitConnection(signedBy('B', third).exchange);
  admission.admitConnection(requestFrom('1.1.1.1').exchange);
  await first.close();
  const fourth = signedBy('A');
  admission.admitConnection(fourth.exchange);
  expect(() => admission.admitConnection(signedBy('A').exchange)).toThrow(TooManyRequestsError);
  await third.close();
  await fourth.close();
  admission.admitConnection(signedBy('A', second).exchange);
  admission.admitConnection(signedBy('A').exchange);
});
