import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { type Trace, TraceBuilder } from './trace.ts';

/** Bytes of one request in oracleGeneral: u32 seconds, u64 object, u32 size, i64 next request; little endian. */
const ORACLE_REQUEST_BYTES = 24;

/** More requests than this are left out: the whole trace is in memory. */
const MAX_REQUESTS = 20_000_000;

/**
 * Reads a trace: `*.oracleGeneral`, `*.oracleGeneral.bin` or either with `.zst` behind it (libCacheSim), anything else as
 * text, see `parseTextTrace`.
 *
 * @throws RangeError when the file is malformed
 */
export function readTraceFile(file: string): Trace {
  const stored = readFileSync(file);
  const bytes = file.endsWith('.zst') ? zstdDecompressSync(stored) : stored;
  const name = basename(file);
  return /\.oracleGeneral(\.bin)?(\.zst)?$/.test(file)
    ? parseOracleGeneral(name, bytes)
    : parseTextTrace(name, bytes.toString());
}

/**
 * One request a line, in the order of time: the object's size in bytes, a space or comma, the object's name up to the end
 * of the line. Empty lines and those that begin with `#` are skipped.
 */
export function parseTextTrace(name: string, text: string): Trace {
  const trace = new TraceBuilder();
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const parsed = /^(\d{1,15})[ ,](.+)$/.exec(line.trimEnd());
    if (!parsed?.[2]) throw new RangeError(`${name}, line ${at + 1}: expected a size and a name`);
    trace.add(parsed[2], Math.max(1, Number(parsed[1])));
  }
  return trace.build(name);
}

/** The binary format oracleGeneral of libCacheSim; an object of no bytes counts as one byte. */
function parseOracleGeneral(name: string, bytes: Buffer): Trace {
  if (bytes.length % ORACLE_REQUEST_BYTES !== 0)
    throw new RangeError(`${name}: ${bytes.length} bytes are no whole number of requests`);
  const trace = new TraceBuilder();
  const end = Math.min(bytes.length, MAX_REQUESTS * ORACLE_REQUEST_BYTES);
  for (let at = 0; at < end; at += ORACLE_REQUEST_BYTES)
    trace.add(bytes.readBigUInt64LE(at + 4), Math.max(1, bytes.readUInt32LE(at + 12)));
  return trace.build(name);
}
