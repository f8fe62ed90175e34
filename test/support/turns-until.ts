/** Long for what takes milliseconds, also on a machine that is busy with other things. */
const LIMIT_MS = 20_000;

/**
 * Lets the event loop turn until `holds`, for what no event tells of.
 *
 * @param what for the message
 * @throws Error after `limitMs`: a loop without an end goes on behind a test that has timed out, and slows all others
 */
export async function turnsUntil(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limitMs = LIMIT_MS,
): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`not within ${limitMs} ms: ${what}`);
    await new Promise(resolve => setImmediate(resolve));
  }
}
