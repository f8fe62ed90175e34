import { z } from 'zod';
import { adaptiveRules } from './adaptive-rules.ts';
import { type CardForm, MAX_CARD_BYTES } from './card.ts';
import { connectorRules } from './connector-rules.ts';

/** Whether a card may be posted. */
type CardVerdict =
  | { readonly kind: 'valid'; readonly bytes: number }
  | { readonly kind: 'too-large'; readonly bytes: number }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

const rules: Readonly<Record<CardForm, z.ZodType>> = {
  connector: connectorRules,
  adaptive: adaptiveRules,
  text: z.strictObject({ text: z.string().trim().min(1) }),
};

/** Checks a payload against all limits of its form. */
export function validateCard(payload: unknown, form: CardForm): CardVerdict {
  const parsed = rules[form].safeParse(payload);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'card'}: ${message}`,
    );
    return { kind: 'invalid', problems };
  }
  const bytes = Buffer.byteLength(JSON.stringify(payload));
  return { kind: bytes > MAX_CARD_BYTES ? 'too-large' : 'valid', bytes };
}
