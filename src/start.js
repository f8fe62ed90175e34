#!/usr/bin/env node
/**
 * The command `tidegate`. Plain JavaScript that older versions of Node can parse, so that they report which version is
 * needed instead of a syntax error.
 */
import { existsSync } from 'node:fs';

const NEEDED = 26;

if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(`tidegate: needs Node ${NEEDED} or newer (this is ${process.version})\n`);
  process.exit(2);
}
// beside it in the build is main.js, in the sources main.ts
const built = new URL('main.js', import.meta.url);
await import(existsSync(built) ? built.href : new URL('main.ts', import.meta.url).href);
