import type { IncomingMessage, ServerResponse } from 'node:http';

/** The token of one route. */
interface RouteToken {
  /** Its name in the configuration. */
  readonly key: string;
  readonly value: string;
}

/** Whether the guard knows who asks, or `handle` has to find that in the body. */
export type Sender = 'authorized' | 'unproven';

/** One endpoint of the admin port. The guard has accepted the request when `handle` is called, or left that to it (`unproven`). */
export interface AdminRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The complete path, matched exactly. */
  readonly path: string;
  /** Served without the bearer token: probes, and pages that contain no data themselves. */
  readonly open?: boolean;
  /** Taken in place of the port's token, as bearer token or as password; asked for even where the port has none. */
  readonly token?: RouteToken | undefined;
  /** Whether the body of a request without a token may prove who has sent it; left out: never. */
  readonly mayProve?: (request: Pick<IncomingMessage, 'headers'>) => boolean;
  /** Whether a request to change something can come from no form of another site; left out: where its body is JSON. */
  readonly isNoForm?: (request: Pick<IncomingMessage, 'headers'>) => boolean;
  /** An `AdminError` thrown here becomes the status and reason of the response. */
  handle(request: IncomingMessage, response: ServerResponse, sender: Sender): Promise<void> | void;
}

/** A refused request: the status, and the reason to show to the client. */
export class AdminError extends Error {
  readonly code: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, reason: string, headers: Readonly<Record<string, string>> = {}) {
    super(reason);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}
