/**
 * Whether it may be for what one request has sent that the origin fails, or says what no registry knows. However such an answer is
 * dated, it says nothing of what others would be sent.
 */
export function isOfServer(status: number): boolean {
  return status >= 500 || (status >= 400 && !ofTargets.has(status));
}

/** Whether an error tells of the state that the server is in, and may be over the next time: nothing of what was asked for. */
export function isOfMoment(status: number): boolean {
  return status >= 500 || ofMoments.has(status);
}

/** Whether it says that there is nothing, whoever asks. */
export function isOfTarget(status: number): boolean {
  return ofTargets.has(status);
}

/** RFC 9110 §15.5, RFC 7725: statuses that tell of what was asked for, rather than of who asked. */
const ofTargets: ReadonlySet<number> = new Set([402, 404, 405, 409, 410, 414, 423, 424, 451]);

/** RFC 9110 §15.5.9, RFC 8470 §5.2, RFC 6585 §4: the same request may be answered later. */
const ofMoments: ReadonlySet<number> = new Set([408, 425, 429]);
