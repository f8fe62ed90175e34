import type { Command } from 'commander';
import type { Environment } from '../config/environment.ts';
import { type AdminAccess, askAdmin, callAdmin, withAdmin } from './admin-access.ts';
import { purgeHint } from './purge-hint.ts';
import { UsageError } from './usage-error.ts';

interface AdminCommandOptions {
  readonly environment: Environment;
  readonly print: (line: string) => void;
  readonly printError: (line: string) => void;
}

/** The commands that call a running gateway: `purge` and `explain`. */
export function addAdminCommands(
  program: Command,
  { environment, print, printError }: AdminCommandOptions,
): void {
  withAdmin(program.command('purge'), environment)
    .description(
      'remove an object, the objects below a prefix, a whole bucket, or what has a tag from the cache of a running gateway',
    )
    .argument('[bucket]', 'as clients name it')
    .argument('[key]', 'left out, the whole bucket')
    .option('--prefix <prefix>', 'all keys with this prefix')
    .option('--tag <tag>', 'all objects with this tag, whatever their bucket')
    .option('--soft', 'keep them as stale, to be revalidated before they are served')
    .action(async (bucket: string | undefined, key: string | undefined, options: PurgeOptions) => {
      const answer = await callAdmin(options, 'POST', '/api/purge', purgeBody(bucket, key, options));
      print(JSON.stringify(answer, undefined, 2));
      const named = key ?? options.prefix;
      const hint = bucket === undefined || named === undefined ? undefined : purgeHint(bucket, named, answer);
      if (hint !== undefined) printError(hint);
    });
  withAdmin(program.command('explain'), environment)
    .description('show what a running gateway holds of an object, and how fresh it is')
    .argument('<bucket>', 'as clients name it')
    .argument('<key>')
    .action(async (bucket: string, key: string, options: AdminAccess) => {
      print(await askAdmin(options, 'GET', `/api/object?${new URLSearchParams({ bucket, key })}`));
    });
}

interface PurgeOptions extends AdminAccess {
  readonly prefix?: string;
  readonly tag?: string;
  readonly soft?: boolean;
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
  // JSON leaves out undefined values
  return { bucket, key, prefix, tag, soft };
}
