import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import type { Channel } from './channel.ts';
import type { LocalIssuer } from './local-issuer.ts';
import { type HttpPostAction, type ReceivedCard, readPostedCard } from './payload.ts';

/** A button pressed on the page. */
interface ButtonPress {
  readonly message: number;
  /** The path to the action: an index into `potentialAction`, then one into the `actions` of an ActionCard. */
  readonly action: readonly number[];
  readonly inputs: Readonly<Record<string, string>>;
}

/** What is shown to the person who pressed it. */
export type PressOutcome =
  | { readonly kind: 'done'; readonly status: string }
  | { readonly kind: 'failed'; readonly status: string };

/** docs/cards.md §2, Deadline. */
const CALLBACK_TIMEOUT_MS = 5_000;

/** The callback server, and the issuer of tokens for it. */
export interface CallbackTarget {
  readonly issuer: LocalIssuer;
  /**
   * Such as `http://127.0.0.1:8081`. Only targets at this origin are called, so that a card cannot make this process
   * send requests elsewhere.
   */
  readonly origin: string;
}

/**
 * Performs an HttpPOST action as the service does: POST to its target with a bearer token that identifies the person,
 * `{{id.value}}` replaced in the body, and the card replaced when the response says so (docs/cards.md §2).
 */
export async function pressButton(
  channel: Channel,
  { issuer, origin }: CallbackTarget,
  press: ButtonPress,
): Promise<PressOutcome> {
  const card = channel.connectorCard(press.message);
  const action = card && findAction(card, press.action);
  if (!action) return { kind: 'failed', status: 'The card has no such button any more.' };
  if (new URL(action.target).origin !== origin) {
    return { kind: 'failed', status: 'The button leads to a place that this channel does not call.' };
  }
  try {
    const answer = await post(action, press.inputs, await issuer.mint());
    if (answer.refreshed) channel.refresh(press.message, answer.refreshed);
    return { kind: answer.ok ? 'done' : 'failed', status: answer.status };
  } catch {
    return { kind: 'failed', status: 'The target of this button could not be reached.' };
  }
}

function findAction(card: ReceivedCard, [outer, inner]: readonly number[]): HttpPostAction | undefined {
  const action = card.potentialAction?.[outer ?? -1];
  const found = action?.['@type'] === 'ActionCard' ? action.actions[inner ?? -1] : action;
  return found?.['@type'] === 'HttpPOST' ? found : undefined;
}

async function post(action: HttpPostAction, inputs: ButtonPress['inputs'], token: string) {
  const contentType = action.bodyContentType ?? 'application/json';
  const { statusCode, headers, body } = await request(action.target, {
    method: 'POST',
    headers: {
      ...Object.fromEntries((action.headers ?? []).map(({ name, value }) => [name.toLowerCase(), value])),
      authorization: `Bearer ${token}`,
      'content-type': contentType,
      'card-correlation-id': randomUUID(),
      'action-request-id': randomUUID(),
    },
    body: fillIn(action.body ?? '', inputs, contentType),
    signal: AbortSignal.timeout(CALLBACK_TIMEOUT_MS),
  });
  const text = await body.text();
  const ok = statusCode >= 200 && statusCode <= 299;
  const status = String(
    headers['card-action-status'] ?? (ok ? 'Done.' : `The target answered ${statusCode}.`),
  );
  const replaces = String(headers['card-update-in-body']).toLowerCase() === 'true';
  return { ok, status, refreshed: ok && replaces ? readCard(text) : undefined };
}

/** Replaces `{{id.value}}` in the body with the input, escaped for the body's content type. */
function fillIn(template: string, inputs: ButtonPress['inputs'], contentType: string): string {
  const escaped = contentType === 'application/json' ? jsonEscape : encodeURIComponent;
  const entered = new Map(Object.entries(inputs));
  return template.replace(/\{\{([^{}]+)\.value\}\}/g, (_, id: string) => escaped(entered.get(id) ?? ''));
}

function jsonEscape(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function readCard(text: string): ReceivedCard | undefined {
  try {
    const payload = readPostedCard(JSON.parse(text));
    return payload.form === 'connector' ? payload.card : undefined;
  } catch {
    return undefined;
  }
}
