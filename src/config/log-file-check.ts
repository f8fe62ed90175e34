import { accessSync, constants, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errorCode } from '../base/error-code.ts';
import { ConfigError } from './config-error.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { describeText } from './problems.ts';

/**
 * Refuses a file of the access log that a start could not open, and creates nothing. Where a gateway runs, opening it is what tells:
 * a reload goes on with the file that is open, whatever has become of its directory.
 *
 * @param source names the configuration in messages
 * @throws ConfigError
 */
export function refuseUnwritableLog({ log: { access } }: Pick<GatewayConfig, 'log'>, source: string): void {
  if (access === false || access.file === undefined) return;
  const why = whyUnwritable(access.file);
  if (why !== undefined) throw new ConfigError(source, [unwritableLog(access.file, why)]);
}

/** The path is told wherever it comes from, the environment as well: it is what has to be put right. @param why the name of the error */
export function unwritableLog(path: string, why: string): string {
  return `log.access.file holds ${describeText(path)}, which cannot be written (${why}); expected a file in a directory that is there`;
}

function whyUnwritable(path: string): string | undefined {
  const { W_OK, X_OK } = constants;
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    if (there?.isDirectory() || path.endsWith('/')) return 'EISDIR';
    if (there) accessSync(path, W_OK);
    // with the dot a file in the place of the directory is told as such
    else accessSync(`${dirname(target(path))}/.`, W_OK | X_OK);
    return undefined;
  } catch (error) {
    return errorCode(error) ?? String(error);
  }
}

/** What would be created: where a link leads to nothing, that. @throws for one that leads to itself */
function target(path: string): string {
  const link = lstatSync(path, { throwIfNoEntry: false });
  if (!link?.isSymbolicLink()) return path;
  // a link is read from where it is, whatever links lead to that directory
  return target(resolve(realpathSync(dirname(path)), readlinkSync(path)));
}
