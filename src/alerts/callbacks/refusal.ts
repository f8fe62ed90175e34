/** Why a callback was refused; nothing was changed. */
type RefusalCode =
  | 'not-found'
  | 'method-not-allowed'
  | 'token-missing'
  | 'token-malformed'
  | 'token-wrong-algorithm'
  | 'token-wrong-signature'
  | 'token-expired'
  | 'token-wrong-issuer'
  | 'token-wrong-audience'
  | 'token-wrong-claim'
  | 'token-keys-unavailable'
  | 'application-not-allowed'
  | 'identity-not-allowed'
  | 'wrong-content-type'
  | 'body-too-large'
  | 'body-too-slow'
  | 'form-ambiguous'
  | 'form-invalid'
  | 'ticket-forged'
  | 'ticket-expired'
  | 'ticket-used'
  | 'alert-unknown'
  | 'action-not-available'
  | 'action-failed';

export interface CallbackRefusal {
  readonly kind: 'refused';
  readonly code: RefusalCode;
  /** A sentence for the person who pressed the button. */
  readonly message: string;
}

const statuses: Readonly<Record<RefusalCode, number>> = {
  'not-found': 404,
  'method-not-allowed': 405,
  'token-missing': 401,
  'token-malformed': 401,
  'token-wrong-algorithm': 401,
  'token-wrong-signature': 401,
  'token-expired': 401,
  'token-wrong-issuer': 401,
  'token-wrong-audience': 401,
  'token-wrong-claim': 401,
  'token-keys-unavailable': 503,
  'application-not-allowed': 403,
  'identity-not-allowed': 403,
  'wrong-content-type': 415,
  'body-too-large': 413,
  'body-too-slow': 408,
  'form-ambiguous': 400,
  'form-invalid': 400,
  'ticket-forged': 403,
  'ticket-expired': 410,
  'ticket-used': 409,
  'alert-unknown': 404,
  'action-not-available': 403,
  'action-failed': 502,
};

export function refuse(code: RefusalCode, message: string): CallbackRefusal {
  return { kind: 'refused', code, message };
}

/** The HTTP status for a refusal. */
export function statusOf(code: RefusalCode): number {
  return statuses[code];
}
