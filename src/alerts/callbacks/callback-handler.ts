import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { CounterCell, Family, Metrics } from '../../base/metrics.ts';
import { letContinue, type TakesBody } from '../../transport/request-bodies.ts';
import { compareSeverity, type Notification } from '../alert.ts';
import type { CardPayload } from '../card/card.ts';
import type { ActionLog } from './action-log.ts';
import { readTicket } from './action-ticket.ts';
import { type BearerOptions, verifyBearer } from './bearer-token.ts';
import { readCallbackForm } from './callback-form.ts';
import { fieldsOf, readCommand } from './card-command.ts';
import type { CardCommand, CardOperations, OperationOutcome } from './card-operations.ts';
import { readText } from './read-text.ts';
import { type CallbackRefusal, refuse, statusOf } from './refusal.ts';
import { runCommand } from './run-command.ts';
import type { UsedTickets } from './used-tickets.ts';

/** The path of all HttpPOST actions, below the base URL of the callbacks. */
export const CALLBACK_PATH = '/callbacks/cards/actions';

export interface CallbackHandlerOptions {
  readonly bearer: BearerOptions;
  /** See `callbackSecret`. */
  readonly secret: Uint8Array;
  readonly tickets: UsedTickets;
  readonly acts: ActionLog;
  readonly operations: CardOperations;
  /** Renders the card that replaces the one whose button was pressed. */
  readonly render: (notification: Notification) => CardPayload;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** The person and the request of a button press. */
interface Press {
  readonly name: string;
  readonly subject: string;
  readonly requestId: string | undefined;
}

type Answer =
  | { readonly kind: 'done'; readonly message: string; readonly alertIds: readonly string[] }
  | CallbackRefusal;

const MAX_BODY_BYTES = 16 * 1024;
const BODY_LIMIT_MS = 1_000;
/**
 * Restoring and purging may take long, but the service expects a response within two seconds (docs/cards.md §2,
 * Deadline).
 */
const ANSWER_WITHIN_MS = 1_500;
const allFields = ['token', ...new Set(Object.values(fieldsOf).flat())];

/**
 * Handles `POST /callbacks/cards/actions`: authenticates, validates, then executes. A refused request has changed
 * nothing.
 */
export class CallbackHandler {
  readonly #options: CallbackHandlerOptions;
  readonly #results: Family<CounterCell>;

  constructor(options: CallbackHandlerOptions) {
    this.#options = options;
    this.#results = options.metrics.counter('tidegate_card_callbacks_total', 'Buttons pressed on cards', [
      'result',
    ]);
  }

  /** Runs on its own listener, separate from the admin port. Never throws. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): void => {
    const startedMs = this.#options.clock.monotonicMs();
    this.#answer(request, response, startedMs)
      .catch((error: unknown) => this.#broken(error))
      .then(answer => this.#send(answer, request, response))
      .catch((error: unknown) => {
        this.#options.logger.error({ err: error }, 'a card callback cannot be answered');
        response.destroy();
      });
  };

  /** Whether the body of `request` will be read, if its token is valid. */
  readonly takesBody: TakesBody = request => judgeRequest(request) === undefined;

  #broken(error: unknown): CallbackRefusal {
    this.#options.logger.error({ err: error }, 'a card callback failed');
    return refuse('action-failed', 'That did not work. Look at the log.');
  }

  async #answer(request: IncomingMessage, response: ServerResponse, startedMs: number): Promise<Answer> {
    const { bearer, clock, secret } = this.#options;
    const misdirected = judgeRequest(request);
    if (misdirected) return misdirected;
    const caller = await verifyBearer(request.headers, bearer, clock);
    if (caller.kind === 'refused') return caller;
    letContinue(request, response);
    const body = await readText(request, MAX_BODY_BYTES, BODY_LIMIT_MS, clock);
    if (body.kind === 'refused') return body;
    const form = readCallbackForm(body.text, allFields);
    if (form.kind === 'refused') return form;
    const verdict = readTicket(form.fields.get('token') ?? '', { secret, clock });
    if (verdict.kind === 'forged')
      return refuse('ticket-forged', 'This button was not made by this gateway.');
    if (verdict.kind === 'expired')
      return refuse('ticket-expired', 'This button is too old. Use a newer card.');
    const read = readCommand(verdict.ticket.action, form.fields, clock.nowMs());
    if (read.kind === 'refused') return read;
    const { tickets } = this.#options;
    if (tickets.claim(verdict.ticket) === 'used')
      return refuse('ticket-used', 'This button was used before.');
    const press = { ...caller, requestId: requestIdOf(request) };
    const answer = await this.#run(read.command, press, startedMs).catch(error => this.#broken(error));
    if (answer.kind === 'refused') tickets.release(verdict.ticket);
    return answer;
  }

  async #run(command: CardCommand, press: Press, startedMs: number): Promise<Answer> {
    const { operations, clock } = this.#options;
    const result = runCommand(command, press.name, operations);
    if (result.kind === 'refused') return result;
    if (result.kind === 'done') return this.#done(command, press, result.message);
    const leftMs = Math.max(0, startedMs + ANSWER_WITHIN_MS - clock.monotonicMs());
    const finished = this.#settled(result.outcome);
    const outcome = await Promise.race([finished, passed(leftMs, clock)]);
    if (outcome.kind === 'failed') return refuse('action-failed', outcome.message);
    if (outcome.kind === 'done') return this.#done(command, press, outcome.message);
    // the ticket remains used, since the operation continues
    finished.then(late => this.#logAction(command, press, late.message)).catch(() => undefined);
    return {
      kind: 'done',
      message: 'It is being done; the next card tells what came of it.',
      alertIds: command.alertIds,
    };
  }

  #settled(outcome: Promise<OperationOutcome>): Promise<OperationOutcome> {
    return outcome.catch((error: unknown) => ({ kind: 'failed', message: this.#broken(error).message }));
  }

  #done(command: CardCommand, press: Press, message: string): Answer {
    this.#logAction(command, press, message);
    return { kind: 'done', message, alertIds: command.alertIds };
  }

  /** Records who did what. */
  #logAction({ action, alertIds }: CardCommand, { name, subject, requestId }: Press, outcome: string): void {
    const { acts, clock, logger } = this.#options;
    logger.info(
      { action, by: name, subject, alerts: alertIds, outcome, requestId },
      'done by a button of a card',
    );
    acts.add({ atMs: clock.nowMs(), by: name, subject, action, alertIds, outcome });
  }

  #send(answer: Answer, request: IncomingMessage, response: ServerResponse): void {
    this.#results.cell(answer.kind === 'done' ? 'done' : answer.code).add();
    // unread parts of the request must not be parsed as the next request
    const connection = request.complete ? {} : { connection: 'close' };
    if (answer.kind === 'done') {
      const card = this.#refreshed(answer.alertIds);
      const refresh = card === undefined ? {} : { 'card-update-in-body': 'true' };
      response.writeHead(200, {
        ...connection,
        ...refresh,
        'card-action-status': asHeader(answer.message),
        'content-type': 'application/json; charset=utf-8',
      });
      response.end(card);
      return;
    }
    const requestId = requestIdOf(request);
    this.#options.logger.info({ code: answer.code, requestId }, 'a card callback was refused');
    const status = statusOf(answer.code);
    response.writeHead(status, {
      ...connection,
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(status === 405 ? { allow: 'POST' } : {}),
      'card-action-status': asHeader(answer.message),
      'content-type': 'application/json; charset=utf-8',
    });
    response.end(JSON.stringify({ code: answer.code, message: answer.message }));
  }

  /** The current card, with who acknowledged it and with fresh button tokens. */
  #refreshed(alertIds: readonly string[]): string | undefined {
    const { operations, render, logger } = this.#options;
    const [first, ...others] = alertIds.flatMap(id => operations.find(id) ?? []);
    if (!first) return undefined;
    const alerts = [first, ...others];
    const severity = alerts
      .map(alert => alert.severity)
      .reduce((highest, next) => (compareSeverity(next, highest) > 0 ? next : highest));
    const kind = alerts.every(({ state }) => state === 'resolved') ? 'resolved' : 'firing';
    try {
      return JSON.stringify(render({ kind, alerts, severity, dedupeKey: `refresh:${first.id}` }));
    } catch (error) {
      logger.error({ err: error }, 'a card cannot be rendered');
      return undefined;
    }
  }
}

function judgeRequest({ url = '', method, headers }: IncomingMessage): CallbackRefusal | undefined {
  if (url !== CALLBACK_PATH) return refuse('not-found', 'There is nothing here.');
  if (method !== 'POST') return refuse('method-not-allowed', 'Buttons are pressed with POST.');
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    return refuse('wrong-content-type', 'The body has to be application/x-www-form-urlencoded.');
  }
  const isLong = Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES;
  return isLong ? refuse('body-too-large', 'The request is too large.') : undefined;
}

/** RFC 9110 §5.5: replaces characters that are not safe in a field value. */
function asHeader(message: string): string {
  return message.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
}

/** docs/cards.md §2: the request header to log. */
function requestIdOf({ headers }: IncomingMessage): string | undefined {
  const id = headers['action-request-id'];
  return typeof id === 'string' ? id.slice(0, 100) : undefined;
}

function passed(delayMs: number, clock: Clock): Promise<{ readonly kind: 'late' }> {
  return new Promise(resolve => clock.after(delayMs, () => resolve({ kind: 'late' })));
}
