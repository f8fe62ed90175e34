// @ts-check
import { formatDuration } from '../../page/format.js';

/**
 * A field of the requests that a record answers: its value, null where they have none, or a digest of it.
 * @typedef {{ name: string, value?: string | null, digest?: string }} SelectingField
 */

/**
 * A record of `/api/object`.
 * @typedef {object} HeldRecord
 * @property {string} name
 * @property {readonly SelectingField[]} [variant] of a web origin's answer
 * @property {'readable' | 'refused' | 'uncacheable'} kind
 * @property {number} status
 * @property {string} [entityTag]
 * @property {string} [versionId]
 * @property {number} [sizeBytes]
 * @property {number} ageS
 * @property {number} ttlS
 * @property {boolean} isOutdated
 * @property {{ blocks: number, bytes: number }} memory
 */

/**
 * What the next read of a record gets, and why.
 * @param {HeldRecord} record
 * @returns {{ state: 'fresh' | 'stale' | 'uncacheable', text: string }}
 */
export function describeRecord({ kind, status, isOutdated, ttlS, sizeBytes = 0, memory }) {
  if (isOutdated)
    return {
      state: 'stale',
      text: 'Outdated: a write, or an event of the store, has told of a change. The next read asks the store; the bytes held are served if they are still the object’s.',
    };
  if (kind === 'uncacheable') {
    return {
      state: 'uncacheable',
      text: 'Not cached: the store sends no strong entity tag or no length, or the object is larger than the bucket allows. Each read goes to the store.',
    };
  }
  const left = formatDuration(ttlS * 1_000);
  if (kind === 'refused') {
    return ttlS > 0
      ? {
          state: 'fresh',
          text: `The store refused it (${reasonOf(status)}). Reads get this answer for ${left} more.`,
        }
      : {
          state: 'stale',
          text: `The store refused it (${reasonOf(status)}). The next read asks the store again.`,
        };
  }
  if (ttlS === 0) {
    return {
      state: 'stale',
      text: 'Stale: the next read asks the store whether it has changed. If not, the bytes held are served.',
    };
  }
  const missing = memory.bytes < sizeBytes ? ' Bytes that are not held come from the store.' : '';
  return { state: 'fresh', text: `Fresh for ${left} more: reads are answered from the cache.${missing}` };
}

/** @param {number} status */
function reasonOf(status) {
  if (status === 404) return '404: it does not exist, or its current version is a delete marker';
  if (status === 403) return '403: archived and not restored, or not allowed';
  return String(status);
}

/**
 * Which requests get an answer that varies by `variant`.
 * @param {readonly SelectingField[]} variant
 */
export function describeVariant(variant) {
  return variant
    .map(({ name, value, digest }) => {
      if (digest !== undefined) return `${name} (digest ${digest})`;
      if (value === undefined) return `${name} (not kept)`;
      return value === null ? `no ${name}` : `${name} ${value}`;
    })
    .join(', ');
}
