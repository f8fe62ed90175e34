import { createHash } from 'node:crypto';
import { copyFileSync, createReadStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { run } from '../support/real-process.ts';

const root = new URL('../..', import.meta.url).pathname;
const mebibyte = 1_048_576;

/** The SHA-256 of every file of a folder, by its path in it. */
export type Hashes = ReadonlyMap<string, string>;

/**
 * Fills `folder` with some hundreds of files that exist anyway, empty to 200 MiB: installed packages, the Go
 * toolchain, the Node binary, and pieces of it with sizes around the block size and under odd names.
 */
export async function collectRealFiles(folder: string): Promise<void> {
  for (const name of ['undici', 'fast-check', 'vitest', 'typescript/lib']) {
    copyTree(join(root, 'node_modules', name), join(folder, 'packages', name));
  }
  const goRoot = (await run('go', ['env', 'GOROOT'])).trim();
  copyTree(join(goRoot, 'src/net'), join(folder, 'go/net'));
  copyTree(join(goRoot, 'bin'), join(folder, 'go/bin'));
  const node = readFileSync(process.execPath);
  const compiler = readFileSync(join(goRoot, 'bin/go'));
  place(folder, 'binaries/node', node);
  place(folder, 'binaries/200MiB', Buffer.concat([node, compiler, node], 200 * mebibyte));
  for (const size of [0, 1, mebibyte - 1, mebibyte, mebibyte + 1, 8 * mebibyte, 17 * mebibyte + 13]) {
    place(folder, `sizes/${size}`, node.subarray(mebibyte, mebibyte + size));
  }
  for (const name of [
    'a b',
    'plus+sign',
    'per%20cent',
    'ünï/日本',
    "quote'&=;,@$!(1)",
    '~-_.txt',
    '.hidden',
  ]) {
    place(folder, `odd names/${name}`, Buffer.from(`the content of ${name}\n`));
  }
}

/** The hashes of all files below `folder`. */
export async function hashTree(folder: string): Promise<Hashes> {
  const hashes = new Map<string, string>();
  for (const path of filesBelow(folder)) hashes.set(relative(folder, path), await hashFile(path));
  return hashes;
}

/** How `found` differs from `expected`; empty when it does not. */
export function differences(found: Hashes, expected: Hashes): readonly string[] {
  const missing = [...expected.keys()].filter(name => !found.has(name)).map(name => `missing: ${name}`);
  const others = [...found].flatMap(([name, hash]) => {
    const right = expected.get(name);
    if (right === undefined) return [`not expected: ${name}`];
    return right === hash ? [] : [`wrong bytes: ${name}`];
  });
  return [...missing, ...others];
}

/** Every regular file below `folder`, in one order everywhere. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .sort();
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

/** Copies regular files only: a store keeps no links. */
function copyTree(from: string, to: string): void {
  for (const path of filesBelow(from)) {
    const target = join(to, relative(from, path));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(path, target);
  }
}

function place(folder: string, name: string, bytes: Uint8Array): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}
