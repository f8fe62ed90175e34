#!/usr/bin/env node
/**
 * The command `tidegate`. Plain JavaScript that older versions of Node can parse, so that they report which version is
 * needed instead of a syntax error.
 */
import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const NEEDED = 26;

/**
 * Keeps what is compiled of the sources for the next start, which is a third shorter then: beside them, where that can be written,
 * and unless the environment says where else, or that it is not wanted (NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE).
 */
function keepCompiled() {
  const directory = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));
  const { status } = module.enableCompileCache(directory);
  // the threads have it from here
  if (status === module.constants.compileCacheStatus.ENABLED) process.env.NODE_COMPILE_CACHE = directory;
}

if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(`tidegate: needs Node ${NEEDED} or newer (this is ${process.version})\n`);
  process.exit(2);
}
keepCompiled();
// beside it in the build is main.js, in the sources main.ts
const built = new URL('main.js', import.meta.url);
await import(existsSync(built) ? built.href : new URL('main.ts', import.meta.url).href);
