import type { ServerResponse } from 'node:http';
import { headerLines } from '../http/header-lines.ts';
import { withoutHopByHop } from '../http/hop-by-hop.ts';

/**
 * Sends an answer before the final one (RFC 9110 §15.2): 102 and 103, the others are about one hop. Clients of HTTP/1.0
 * know none.
 *
 * @param raw names and values alternating
 */
export function sendInterim(response: ServerResponse, status: number, raw: readonly string[]): void {
  if (response.headersSent || response.req.httpVersion === '1.0') return;
  if (status === 102) response.writeProcessing();
  if (status !== 103) return;
  const hints: Record<string, string[]> = Object.create(null);
  for (const [name, value] of headerLines(withoutHopByHop(raw))) {
    hints[name.toLowerCase()] = [...(hints[name.toLowerCase()] ?? []), value];
  }
  try {
    response.writeEarlyHints(hints);
  } catch (error) {
    // node:http knows only links of one form
    if (!(error instanceof TypeError)) throw error;
  }
}
