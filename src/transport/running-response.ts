import { ServerResponse } from 'node:http';

/** The response that node:http is sending on `socket`; later (pipelined) ones wait. */
export function runningResponse(socket: object): ServerResponse | undefined {
  const running = '_httpMessage' in socket ? socket._httpMessage : undefined;
  return running instanceof ServerResponse ? running : undefined;
}
