import type { GatewayConfig } from './gateway-config.ts';
import type { ConfigWarning } from './grant-warnings.ts';
import { LEAST_SECRET } from './secrets.ts';

/** Warns of tokens that are easily guessed, and that the log does not leave out where they stand in a text. */
export function* tokenWarnings({ admin }: Pick<GatewayConfig, 'admin'>): Generator<ConfigWarning> {
  for (const key of ['token', 'eventsToken'] as const) {
    const token = admin[key];
    if (token === undefined || token.length >= LEAST_SECRET) continue;
    const consequence = `a token of fewer than ${LEAST_SECRET} characters is soon guessed, and stays in texts of the log, since it may be a word`;
    yield { path: ['admin', key], consequence };
  }
}
