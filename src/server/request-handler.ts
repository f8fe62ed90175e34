import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers one request; what it has at hand in the turn of the event loop in which it is called. */
export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;
