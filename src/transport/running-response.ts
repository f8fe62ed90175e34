import { ServerResponse } from 'node:http';

/** The response that node:http lets go out over `socket` at the moment; others wait behind it. */
export function runningResponse(socket: object): ServerResponse | undefined {
  const running = '_httpMessage' in socket ? socket._httpMessage : undefined;
  return running instanceof ServerResponse ? running : undefined;
}
