import { execFile } from 'node:child_process';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const root = new URL('../../..', import.meta.url).pathname;
const listSchema = z.array(z.object({ name: z.string(), file: z.string() }));

/**
 * Full names of the tests that run, by their files below `test`: those of tables as their rows make them, and none that
 * is skipped. The files are imported in one thread, so that what they share is loaded once.
 *
 * @param files existing files, below `test`
 * @throws Error when one of them cannot be imported
 */
export async function collectTests(
  files: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const options = [
    '--config',
    'config/vitest.config.ts',
    '--no-static-parse',
    '--no-isolate',
    '--maxWorkers=1',
  ];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [vitest, 'list', '--json', ...options, ...files.map(file => join('test', file))],
    { cwd: root, maxBuffer: 64 * 1024 * 1024 },
  );
  const byFile = new Map<string, Set<string>>();
  for (const { name, file } of listSchema.parse(JSON.parse(stdout))) {
    const below = relative(join(root, 'test'), file);
    const names = byFile.get(below) ?? new Set();
    byFile.set(below, names.add(name));
  }
  return byFile;
}
