import type { IncomingMessage, ServerResponse } from 'node:http';

/** One thing that the admin port answers. The guard has been passed when `handle` is called. */
export interface AdminRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The whole path, matched exactly. */
  readonly path: string;
  /** Answered without the bearer token: probes, and pages that hold nothing themselves. */
  readonly open?: boolean;
  /** Takes changes that are not `application/json` too; the route then judges the type itself. */
  readonly anyContentType?: boolean;
  /** An `AdminError` thrown here becomes its status and reason. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void> | void;
}

/** A request that is refused: the status, and the reason in words for whoever sent it. */
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
