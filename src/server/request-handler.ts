import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers one request; a cached answer is sent before it returns. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;
