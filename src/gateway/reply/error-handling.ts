import type { Faults } from '../../base/faults.ts';
import { s3Error } from '../../s3/error.ts';
import { cutOff } from '../../transport/cut-off.ts';
import type { ErrorHandling, Exchange } from '../request/exchange.ts';
import { asS3Error, isFault, replyError } from './error-reply.ts';
import type { ExchangeObserver } from './exchange-observer.ts';

/**
 * Ends a request with an error: an error response, or a closed connection if the head was already sent. Either closes
 * the response, which releases what the request holds.
 */
export function errorHandling(observer: ExchangeObserver, faults: Faults): ErrorHandling {
  const refuse = (exchange: Exchange, error: unknown) => {
    if (isFault(error)) {
      fault(exchange, error);
      return;
    }
    try {
      exchange.failure = asError(error);
      if (exchange.response.headersSent) cutOff(exchange.response);
      else replyError(exchange, asS3Error(error));
      observer.sent(exchange);
    } catch (again) {
      fault(exchange, again);
    }
  };

  /** Takes `step`; an exception in it ends the response. */
  const orCutOff = (exchange: Exchange, step: () => void) => {
    try {
      step();
    } catch (again) {
      faults.note(again, exchange.requestId);
      cutOff(exchange.response);
    }
  };

  const fault = (exchange: Exchange, error: unknown) => {
    faults.note(error, exchange.requestId);
    exchange.failure ??= asError(error);
    orCutOff(exchange, () => {
      if (exchange.response.headersSent) cutOff(exchange.response);
      else replyFault(exchange);
    });
    // in a step of its own: the request is over even where no error could be sent, and then the response may emit nothing
    orCutOff(exchange, () => observer.sent(exchange));
  };

  return { refuse, fault };
}

/** Parts of the failed answer may remain in the response, so its connection is not reused. */
function replyFault(exchange: Exchange): void {
  exchange.response.shouldKeepAlive = false;
  replyError(exchange, s3Error('InternalError'));
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
