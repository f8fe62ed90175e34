import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The paths of all files below a directory, whose folders may be missing. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
}
