import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import type { CardAction, SignAction } from '../card/card.ts';

/** The action that a button's token permits, once, until it expires. */
export interface ActionTicket {
  readonly action: CardAction;
  /** Seconds since the epoch. */
  readonly expiresAtS: number;
  readonly nonce: string;
}

type TicketVerdict =
  | { readonly kind: 'valid'; readonly ticket: ActionTicket }
  /** Not signed by this gateway, or modified. */
  | { readonly kind: 'forged' }
  | { readonly kind: 'expired' };

interface TicketOptions {
  /** See `callbackSecret`. */
  readonly secret: Uint8Array;
  readonly clock: Clock;
}

const LIFETIME_S = 24 * 60 * 60;
const NONCE_BYTES = 16;
const MAX_TOKEN_LENGTH = 8_192;

const alertIds = z.array(z.string()).min(1);
const object = z.object({ bucket: z.string(), key: z.string(), versionId: z.string().exactOptional() });
const objects = z.array(object).min(1);
const content = z.object({
  action: z.union([
    z.object({ action: z.enum(['acknowledge', 'silence', 'unsilence']), alertIds }),
    z.object({ action: z.literal('restore'), alertIds, objects }),
    // on cards of older versions, which offered one object
    z
      .object({ action: z.literal('restore'), alertIds, object })
      .transform(({ object: only, ...rest }) => ({ ...rest, objects: [only] })),
    z.object({ action: z.literal('purge'), alertIds, object }),
  ]),
  expiresAtS: z.number().int(),
  nonce: z.string().min(1),
});

/**
 * Signs actions for buttons: `payload.signature`, both in base64url, valid for a day. Anyone with the card can read the
 * payload; the signature is HMAC-SHA-256. See docs/cards.md §2.
 */
export function createActionSigner({ secret, clock }: TicketOptions): SignAction {
  return action => {
    const expiresAtS = Math.floor(clock.nowMs() / 1_000) + LIFETIME_S;
    const ticket: ActionTicket = {
      action,
      expiresAtS,
      nonce: randomBytes(NONCE_BYTES).toString('base64url'),
    };
    const payload = Buffer.from(JSON.stringify(ticket)).toString('base64url');
    return `${payload}.${signature(payload, secret).toString('base64url')}`;
  };
}

/** Verifies a button's token. Does not check whether it was used before. */
export function readTicket(token: string, { secret, clock }: TicketOptions): TicketVerdict {
  const [payload = '', given = '', ...rest] = token.slice(0, MAX_TOKEN_LENGTH + 1).split('.');
  const expected = signature(payload, secret);
  const actual = Buffer.from(given, 'base64url');
  const wellFormed =
    rest.length === 0 && token.length <= MAX_TOKEN_LENGTH && actual.length === expected.length;
  if (!wellFormed || !timingSafeEqual(actual, expected)) return { kind: 'forged' };
  const parsed = content.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')));
  if (!parsed.success) return { kind: 'forged' };
  const isExpired = parsed.data.expiresAtS * 1_000 <= clock.nowMs();
  return isExpired ? { kind: 'expired' } : { kind: 'valid', ticket: parsed.data };
}

function signature(payload: string, secret: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(payload).digest();
}
