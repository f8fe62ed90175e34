import type { Command } from 'commander';
import { request } from 'undici';
import type { Environment } from '../config/environment.ts';
import { UsageError } from './usage-error.ts';

export interface AdminAccess {
  readonly admin: string;
  readonly token?: string;
}

/** The admin port returned an error or could not be reached. */
export class AdminRequestError extends Error {
  readonly code = 'ADMIN_REQUEST_FAILED';
}

/** The token is not declared as a default value, since the help text prints defaults. */
export function withAdmin(command: Command, { TIDEGATE_ADMIN, TIDEGATE_ADMIN_TOKEN }: Environment): Command {
  return command
    .option(
      '--admin <url>',
      'address of the admin port (or TIDEGATE_ADMIN)',
      TIDEGATE_ADMIN || 'http://127.0.0.1:9090',
    )
    .option('--token <token>', 'its bearer token (or TIDEGATE_ADMIN_TOKEN)')
    .hook('preAction', asked => {
      if (asked.opts().token === undefined) asked.setOptionValue('token', TIDEGATE_ADMIN_TOKEN);
    });
}

/** @throws UsageError when the address is not an http URL */
export function adminAddress({ admin }: AdminAccess): URL {
  const address = URL.parse(admin);
  if (address && /^https?:$/.test(address.protocol)) return address;
  throw new UsageError(`--admin ${admin} is not an http address`);
}

/** The JSON answer, indented for reading. */
export async function askAdmin(
  access: AdminAccess,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<string> {
  const base = adminAddress(access);
  const { statusCode, body: answer } = await request(new URL(path, base), {
    method,
    headers: {
      ...(access.token ? { authorization: `Bearer ${access.token}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    body: body ? JSON.stringify(body) : null,
  }).catch((cause: Error) => {
    throw new AdminRequestError(`the admin port ${base.origin} does not answer: ${cause.message}`, { cause });
  });
  const text = await answer.text();
  if (statusCode >= 300) throw new AdminRequestError(`the admin port answered ${statusCode}: ${text.trim()}`);
  return JSON.stringify(JSON.parse(text), undefined, 2);
}
