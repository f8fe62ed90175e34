import type { Command } from 'commander';
import { request } from 'undici';
import { inWords } from '../backend/cause-words.ts';
import { causeName } from '../backend/failure-cause.ts';
import { printableLine } from '../base/printable.ts';
import type { Environment } from '../config/environment.ts';
import { UsageError } from './usage-error.ts';

export interface AdminAccess {
  readonly admin: string;
  readonly token?: string | undefined;
}

/** The admin port returned an error, could not be reached, or has nobody to do what is asked. */
export class AdminRequestError extends Error {
  readonly code = 'ADMIN_REQUEST_FAILED';
}

/** The token is not declared as a default value, since the help text prints defaults. */
export function withAdmin(command: Command, { TIDEGATE_ADMIN, TIDEGATE_ADMIN_TOKEN }: Environment): Command {
  return command
    .option(
      '--admin <address>',
      'admin port of the running gateway, as host:port or URL (or TIDEGATE_ADMIN)',
      TIDEGATE_ADMIN || '127.0.0.1:9090',
    )
    .option('--token <token>', 'its bearer token (or TIDEGATE_ADMIN_TOKEN)')
    .hook('preAction', asked => {
      if (TIDEGATE_ADMIN && asked.getOptionValueSource('admin') === 'default')
        adminAddress({ admin: TIDEGATE_ADMIN }, 'TIDEGATE_ADMIN');
      if (asked.opts().token === undefined) asked.setOptionValue('token', TIDEGATE_ADMIN_TOKEN);
    });
}

const ADDRESS_FORMS = 'such as 127.0.0.1:9090, [::1]:9090 or https://admin.example.test';

/**
 * @param name what holds it, for messages
 * @throws UsageError unless it is `host:port`, or an http or https URL without path, query and credentials
 */
export function adminAddress({ admin }: AdminAccess, name = '--admin'): URL {
  const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(admin);
  const address = URL.parse(hasScheme ? admin : `http://${admin}`);
  // without a scheme the port is part of the address: http's own is never that of an admin port
  const isComplete = hasScheme || /:\d+$/.test(admin);
  if (address && isComplete && /^https?:$/.test(address.protocol) && isOrigin(address)) return address;
  // a URL with credentials is not quoted
  const given = admin.includes('@') ? 'with "@"' : admin;
  throw new UsageError(
    `${name} ${given} is not an http address; expected host:port or a URL, ${ADDRESS_FORMS}`,
  );
}

function isOrigin({ href, origin, port }: URL): boolean {
  return href === `${origin}/` && port !== '0';
}

/**
 * The JSON answer, indented for reading.
 *
 * @throws AdminRequestError with a reason in words
 */
export async function askAdmin(
  access: AdminAccess,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<string> {
  return JSON.stringify(await callAdmin(access, method, path, body), undefined, 2);
}

/**
 * The JSON answer.
 *
 * @throws AdminRequestError with a reason in words
 */
export async function callAdmin(
  access: AdminAccess,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<unknown> {
  const { base, statusCode, answer } = await sendToAdmin(access, method, path, body);
  const value = parsed(await answer.text(), statusCode, base);
  if (statusCode >= 300) throw refusedWith(statusCode, value);
  return value;
}

/**
 * The lines of an answer as they come; nothing limits the time between them.
 *
 * @param signal ends it, with an error
 * @throws AdminRequestError with a reason in words
 */
export async function* streamFromAdmin(
  access: AdminAccess,
  path: string,
  body: object,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { base, statusCode, answer } = await sendToAdmin(access, 'POST', path, body, signal);
  if (statusCode >= 300) {
    throw refusedWith(statusCode, parsed(await answer.text(), statusCode, base));
  }
  let rest = '';
  try {
    for await (const piece of answer.setEncoding('utf8')) {
      const lines = `${rest}${piece}`.split('\n');
      rest = lines.pop() ?? '';
      yield* lines.filter(line => line !== '');
    }
  } catch (cause) {
    throw new AdminRequestError(`the answer of ${base.origin} broke off`, { cause });
  }
}

async function sendToAdmin(
  access: AdminAccess,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  signal?: AbortSignal,
) {
  const base = adminAddress(access);
  const { statusCode, body: answer } = await request(new URL(path, base), {
    method,
    headers: {
      ...(access.token ? { authorization: `Bearer ${access.token}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    body: body ? JSON.stringify(body) : null,
    bodyTimeout: 0,
    ...(signal && { signal }),
  }).catch((cause: Error) => {
    throw new AdminRequestError(`the admin port ${base.origin} does not answer: ${whyNot(cause)}`, { cause });
  });
  return { base, statusCode, answer };
}

/** Messages of TLS errors are lines of OpenSSL's error queue, so the cause is told in words where it has a name. */
function whyNot(error: Error): string {
  const cause = causeName(error);
  return cause === undefined ? quoted(error.message) : `${inWords(cause)} (${cause})`;
}

const MAX_QUOTE_LENGTH = 1_000;

/** What was answered, as part of a message. */
function quoted(text: string): string {
  return printableLine(text.trim().slice(0, MAX_QUOTE_LENGTH).replace(/\s+/g, ' '));
}

/** All answers of an admin port to commands are JSON. */
function parsed(text: string, statusCode: number, { origin }: URL): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const said = quoted(text.slice(0, 100));
    const message = `${origin} is not the admin port of a gateway: it answered ${statusCode} ${said}`;
    throw new AdminRequestError(message, { cause });
  }
}

function refusedWith(statusCode: number, value: unknown): AdminRequestError {
  const remedy = statusCode === 401 ? '; give it with --token, or in TIDEGATE_ADMIN_TOKEN' : '';
  return new AdminRequestError(`the admin port answered ${statusCode}: ${reasonIn(value)}${remedy}`);
}

/** Refusals of an admin port have a reason in words. */
function reasonIn(value: unknown): string {
  const hasReason = typeof value === 'object' && value !== null && 'reason' in value;
  return quoted(hasReason && typeof value.reason === 'string' ? value.reason : JSON.stringify(value));
}
