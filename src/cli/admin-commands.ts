import type { Command } from 'commander';
import { request } from 'undici';
import type { Environment } from '../config/environment.ts';
import { UsageError } from './usage-error.ts';

interface AdminCommandOptions {
  readonly environment: Environment;
  readonly print: (line: string) => void;
}

interface AdminAccess {
  readonly admin: string;
  readonly token?: string;
}

/** The admin port refused, or could not be asked. */
export class AdminRequestError extends Error {
  readonly code = 'ADMIN_REQUEST_FAILED';
}

/** The commands that ask a running gateway: `purge` and `explain`. */
export function addAdminCommands(program: Command, { environment, print }: AdminCommandOptions): void {
  withAdmin(program.command('purge'), environment)
    .description('forget an object, the objects below a prefix, a whole bucket, or what carries a tag')
    .argument('[bucket]')
    .argument('[key]')
    .option('--prefix <prefix>', 'all keys that begin so')
    .option('--tag <tag>', 'all objects with this tag')
    .option('--soft', 'keep them as stale: they are asked for again before they are served')
    .action(async (bucket: string | undefined, key: string | undefined, options: PurgeOptions) => {
      print(await ask(options, 'POST', '/api/purge', purgeBody(bucket, key, options)));
    });
  withAdmin(program.command('explain'), environment)
    .description('what is held of an object, and how fresh it is')
    .argument('<bucket>')
    .argument('<key>')
    .action(async (bucket: string, key: string, options: AdminAccess) => {
      print(await ask(options, 'GET', `/api/object?${new URLSearchParams({ bucket, key })}`));
    });
}

interface PurgeOptions extends AdminAccess {
  readonly prefix?: string;
  readonly tag?: string;
  readonly soft?: boolean;
}

/** The token is no default of its option, since help shows those. */
function withAdmin(command: Command, { TIDEGATE_ADMIN, TIDEGATE_ADMIN_TOKEN }: Environment): Command {
  return command
    .option(
      '--admin <url>',
      'where the admin port is (or TIDEGATE_ADMIN)',
      TIDEGATE_ADMIN || 'http://127.0.0.1:9090',
    )
    .option('--token <token>', 'its bearer token (or TIDEGATE_ADMIN_TOKEN)')
    .hook('preAction', asked => {
      if (asked.opts().token === undefined) asked.setOptionValue('token', TIDEGATE_ADMIN_TOKEN);
    });
}

function purgeBody(
  bucket: string | undefined,
  key: string | undefined,
  { prefix, tag, soft }: PurgeOptions,
): object {
  const wanted = [key, prefix, tag].filter(each => each !== undefined);
  const usable = tag === undefined ? bucket !== undefined : bucket === undefined;
  if (!usable || wanted.length > 1) {
    throw new UsageError('purge takes BUCKET, BUCKET KEY, BUCKET --prefix PREFIX or --tag TAG');
  }
  // what is undefined is left out of JSON
  return { bucket, key, prefix, tag, soft };
}

/** The answer's JSON, laid out for reading. */
async function ask(
  access: AdminAccess,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<string> {
  const base = URL.parse(access.admin);
  if (!base || !/^https?:$/.test(base.protocol))
    throw new UsageError(`--admin ${access.admin} is no http address`);
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
  if (statusCode !== 200)
    throw new AdminRequestError(`the admin port answered ${statusCode}: ${text.trim()}`);
  return JSON.stringify(JSON.parse(text), undefined, 2);
}
