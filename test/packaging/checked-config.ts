import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../support/real-process.ts';

const command = new URL('../../src/start.js', import.meta.url).pathname;

/** What `tidegate check` says of a configuration; rejects where a start would not take it. */
export function checkedConfig(
  folder: string,
  text: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const file = join(folder, 'tidegate.yaml');
  writeFileSync(file, text);
  return run(process.execPath, [command, 'check', '--config', file], { environment, ownEnvironment: true });
}
