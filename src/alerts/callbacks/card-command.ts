import type { ObjectSubject } from '../alert.ts';
import type { CardAction } from '../card/card.ts';
import { LONGEST_SILENCE_MS } from '../silences/silence.ts';
import { type ActionName, type CardCommand, restoreTiers } from './card-operations.ts';
import { type CallbackRefusal, refuse } from './refusal.ts';

/** The fields that each action accepts besides `token`. */
export const fieldsOf: Readonly<Record<ActionName, readonly string[]>> = {
  acknowledge: [],
  silence: ['duration', 'until', 'why'],
  unsilence: [],
  restore: ['object', 'days', 'tier'],
  purge: [],
};

const MAX_REASON_LENGTH = 500;
const MAX_RESTORE_DAYS = 90;
const DAY_MS = 86_400_000;
/** RFC 3339 with optional seconds; a date without a time means the end of that day. */
const moment = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Combines the signed action with the fields that were filled in. */
export function readCommand(
  action: CardAction,
  fields: ReadonlyMap<string, string>,
  nowMs: number,
): { readonly kind: 'command'; readonly command: CardCommand } | CallbackRefusal {
  const stranger = [...fields.keys()].find(
    name => name !== 'token' && !fieldsOf[action.action].includes(name),
  );
  if (stranger !== undefined)
    return refuse('form-ambiguous', `"${stranger}" does not belong to this button.`);
  switch (action.action) {
    case 'acknowledge':
    case 'unsilence':
      return { kind: 'command', command: { action: action.action, alertIds: action.alertIds } };
    case 'silence':
      return readSilence(action.alertIds, fields, nowMs);
    case 'restore': {
      const { alertIds, objects } = action;
      const object = chosenObject(objects, fields.get('object'));
      if (!object) return refuse('form-invalid', 'Say which object: one that the card offers.');
      const days = Number(/^\d{1,3}$/.test(fields.get('days') ?? '') ? fields.get('days') : Number.NaN);
      const tier = restoreTiers.find(name => name === (fields.get('tier') || 'Standard'));
      if (!(days >= 1 && days <= MAX_RESTORE_DAYS)) {
        return refuse('form-invalid', `Say for how many days: 1 to ${MAX_RESTORE_DAYS}.`);
      }
      if (!tier) return refuse('form-invalid', `A tier is one of ${restoreTiers.join(', ')}.`);
      return { kind: 'command', command: { action: 'restore', alertIds, object, request: { days, tier } } };
    }
    case 'purge':
      return {
        kind: 'command',
        command: { action: 'purge', alertIds: action.alertIds, object: action.object },
      };
  }
}

/** The object of this index; without one, the only object. */
function chosenObject(
  objects: readonly ObjectSubject[],
  index: string | undefined,
): ObjectSubject | undefined {
  if (index === undefined) return objects.length === 1 ? objects[0] : undefined;
  return /^\d{1,2}$/.test(index) ? objects[Number(index)] : undefined;
}

function readSilence(alertIds: readonly string[], fields: ReadonlyMap<string, string>, nowMs: number) {
  const until = fields.get('until') ?? '';
  const duration = fields.get('duration') ?? '';
  const why = fields.get('why') || 'no reason given';
  const untilMs = until === '' ? nowMs + wholeNumber(duration) : momentMs(until);
  if (Number.isNaN(untilMs)) return refuse('form-invalid', 'Say for how long, or until when.');
  if (untilMs <= nowMs) return refuse('form-invalid', 'That moment has passed already.');
  if (untilMs > nowMs + LONGEST_SILENCE_MS) return refuse('form-invalid', 'A silence lasts 90 days at most.');
  if (why.length > MAX_REASON_LENGTH) return refuse('form-invalid', 'The reason is too long.');
  const command: CardCommand = { action: 'silence', alertIds, untilMs, why };
  return { kind: 'command' as const, command };
}

function wholeNumber(text: string): number {
  return /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
}

function momentMs(text: string): number {
  if (!moment.test(text)) return Number.NaN;
  return text.length === 'YYYY-MM-DD'.length ? Date.parse(text) + DAY_MS : Date.parse(text);
}
