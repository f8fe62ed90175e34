import { createServer, type Server } from 'node:http';
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { request } from 'undici';
import type { Alert } from '../../src/alerts/alert.ts';
import { ActionLog } from '../../src/alerts/callbacks/action-log.ts';
import { createActionSigner } from '../../src/alerts/callbacks/action-ticket.ts';
import { CALLBACK_PATH, CallbackHandler } from '../../src/alerts/callbacks/callback-handler.ts';
import type { CardOperations } from '../../src/alerts/callbacks/card-operations.ts';
import { callbackSecret, UsedTickets } from '../../src/alerts/callbacks/used-tickets.ts';
import type { CardAction, SignAction } from '../../src/alerts/card/card.ts';
import { md } from '../../src/alerts/card/markdown.ts';
import { createLogger } from '../../src/base/logger.ts';
import { Metrics } from '../../src/base/metrics.ts';
import { ManualClock } from './manual-clock.ts';
import { memoryState } from './memory-state.ts';
import { sampleAlert } from './notifications.ts';

const ISSUER = 'https://directory.test/sts/';
const AUDIENCE = 'https://gateway.test';
const APP_ID = 'app-of-the-service';
const OPERATOR = '6f0c7d6e-operator';

const rightKeys = await generateKeyPair('RS256');
const otherKeys = await generateKeyPair('RS256');
const publicKey = { ...(await exportJWK(rightKeys.publicKey)), kid: 'right', alg: 'RS256' };

/** What a test may change of an otherwise good request. */
export interface PressChanges {
  readonly path?: string;
  readonly method?: 'POST' | 'GET' | 'PUT';
  readonly contentType?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly authorization?: string | undefined;
}

/** A callback handler behind a real listener, with alerts and operations that write down what they were asked. */
export class CallbackBench {
  readonly clock = new ManualClock(Date.UTC(2026, 0, 5, 12));
  readonly database = memoryState();
  readonly metrics = new Metrics();
  readonly acts = new ActionLog(this.database);
  readonly alerts = new Map<string, Alert>([['a-1', sampleAlert('archivedObjects', { id: 'a-1' })]]);
  /** Everything that was changed, in words. */
  readonly changes: string[] = [];
  readonly lines: string[] = [];
  readonly sign: SignAction;
  operations: CardOperations;
  readonly #server: Server;
  #base = '';

  constructor() {
    const secret = callbackSecret(this.database);
    this.sign = createActionSigner({ secret, clock: this.clock });
    this.operations = this.#recordingOperations();
    const handler = new CallbackHandler({
      bearer: {
        issuer: ISSUER,
        audience: AUDIENCE,
        keys: createLocalJWKSet({ keys: [publicKey] }),
        appIds: [APP_ID],
        allowedSubjects: new Map([[OPERATOR, 'Ada']]),
        clockToleranceS: 60,
      },
      secret,
      tickets: new UsedTickets(this.database, this.clock),
      acts: this.acts,
      operations: new Proxy(this.operations, { get: (_, name) => Reflect.get(this.operations, name) }),
      render: ({ kind, alerts }) => ({
        text: md`${kind}: ${String(alerts.map(({ acknowledgedBy }) => acknowledgedBy))}`,
      }),
      clock: this.clock,
      metrics: this.metrics,
      logger: createLogger({
        level: 'info',
        sink: { write: line => void this.lines.push(line), flush: () => undefined },
      }),
    });
    this.#server = createServer(handler.handle);
  }

  async start(): Promise<this> {
    await new Promise<void>(listening => this.#server.listen(0, '127.0.0.1', listening));
    const address = this.#server.address();
    if (typeof address !== 'object' || !address) throw new Error('no address');
    this.#base = `http://127.0.0.1:${address.port}`;
    return this;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Presses a button that asks for `action`, with `fields` filled in. */
  async press(action: CardAction, fields: Readonly<Record<string, string>> = {}, changes: PressChanges = {}) {
    const token = this.sign(action);
    return this.send(new URLSearchParams({ token, ...fields }).toString(), changes);
  }

  /** Sends a body with a good bearer token, but for `changes`. */
  async send(body: string, changes: PressChanges = {}) {
    const authorization =
      'authorization' in changes ? changes.authorization : `Bearer ${await bearerToken(this.clock)}`;
    const {
      statusCode,
      headers,
      body: answer,
    } = await request(this.#base + (changes.path ?? CALLBACK_PATH), {
      method: changes.method ?? 'POST',
      headers: {
        'content-type': changes.contentType ?? 'application/x-www-form-urlencoded',
        ...(authorization === undefined ? {} : { authorization }),
        ...changes.headers,
      },
      ...(changes.method === 'GET' ? {} : { body: changes.body ?? body }),
    });
    const text = await answer.text();
    return {
      status: statusCode,
      headers,
      text,
      code: text.includes('"code"') ? String(JSON.parse(text).code) : undefined,
    };
  }

  #recordingOperations(): CardOperations {
    return {
      find: id => this.alerts.get(id),
      acknowledge: (id, by) => {
        const alert = this.alerts.get(id);
        if (alert?.state !== 'firing') return { kind: 'not-firing' };
        if (alert.acknowledgedBy) return { kind: 'already' };
        this.alerts.set(id, { ...alert, acknowledgedBy: by });
        this.changes.push(`${by} acknowledged ${id}`);
        return { kind: 'acknowledged' };
      },
      silence: ({ id }, untilMs, by, why) => {
        this.changes.push(`${by} silenced ${id} until ${new Date(untilMs).toISOString()}: ${why}`);
      },
      unsilence: ({ id }) => this.changes.push(`unsilenced ${id}`),
      restore: async ({ bucket, key }, { days, tier }) => {
        this.changes.push(`restore ${bucket}/${key} for ${days} days, ${tier}`);
        return { kind: 'done', message: 'The store has begun to restore it.' };
      },
      purge: async ({ bucket, key }) => {
        this.changes.push(`purged ${bucket}/${key}`);
        return { kind: 'done', message: 'Purged 1 object.' };
      },
    };
  }
}

export interface TokenChanges {
  readonly claims?: JWTPayload;
  readonly without?: 'sub' | 'exp' | 'appid';
  readonly signedBy?: 'another key';
  readonly kid?: string;
}

/** A good token of the service, but for `changes`. */
export function bearerToken(clock: ManualClock, changes: TokenChanges = {}): Promise<string> {
  const nowS = Math.floor(clock.nowMs() / 1_000);
  const claims: JWTPayload = {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: OPERATOR,
    appid: APP_ID,
    iat: nowS,
    exp: nowS + 300,
  };
  const payload: JWTPayload = { ...claims, ...changes.claims };
  if (changes.without) delete payload[changes.without];
  return new SignJWT(payload)
    .setProtectedHeader({ alg: 'RS256', kid: changes.kid ?? 'right' })
    .sign(changes.signedBy ? otherKeys.privateKey : rightKeys.privateKey);
}

/** A token signed with the public key as an HMAC secret, and one that is not signed at all. */
export async function trickTokens(
  clock: ManualClock,
): Promise<{ readonly hmac: string; readonly none: string }> {
  const token = await bearerToken(clock);
  const [, payload = ''] = token.split('.');
  const header = (alg: string) => Buffer.from(JSON.stringify({ alg, kid: 'right' })).toString('base64url');
  const hmac = await new SignJWT(JSON.parse(Buffer.from(payload, 'base64url').toString()))
    .setProtectedHeader({ alg: 'HS256', kid: 'right' })
    .sign(new TextEncoder().encode(publicKey.n));
  return { hmac, none: `${header('none')}.${payload}.` };
}
