/**
 * The least time for an answer to a write: a store may have to move the whole object before it can answer, and a write
 * that is given up may happen all the same.
 */
export const WRITE_ANSWER_MS = 60_000;
