import { describeDuration } from '../../base/time-text.js';
import type { Fact, ObjectSubject } from '../alert.ts';
import { errorResponses } from '../measurement/measure.ts';
import { byLabel, total } from '../measurement/series.ts';
import { formatCount } from '../wording.ts';
import type { Breach, ConditionOptions, RequestedObject, RuleDefinition } from './rule.ts';

interface ArchivedObjectsOptions extends ConditionOptions {
  /** Refused reads within the window. */
  readonly threshold: number;
  readonly windowMs: number;
}

/** The number of objects named in a card. */
const NAMED_OBJECTS = 5;

/** Clients read objects that are archived and have not been restored (docs/cards.md §4, 15). */
export const archivedObjects: RuleDefinition<ArchivedObjectsOptions> = {
  name: 'archivedObjects',
  title: 'Archived objects are requested',
  advice:
    'Reads are refused with InvalidObjectState until the store has restored a copy, which takes minutes to hours.',
  measures: [errorResponses],
  inhibitedBy: [],
  inhibitAfterMs: () => 0,
  defaults: {
    severity: 'warning',
    threshold: 10,
    windowMs: 15 * 60_000,
    forMs: 0,
    clearForMs: 5 * 60_000,
  },
  evaluate: ({ history, archivedObjects: asked }, options) => {
    const { series } = history.increase(errorResponses, options.windowMs);
    const refused = series.filter(({ labels }) => labels.code === 'InvalidObjectState');
    return Array.from(byLabel(refused, 'bucket'), ([bucket, own]) => {
      const count = total(own);
      if (count <= options.threshold) return { kind: 'clear', labels: { bucket } };
      return breach(bucket, count, asked(bucket), options);
    });
  },
  example: options => breach('sample', 34, [{ bucket: 'sample', key: 'archive.bin', count: 34 }], options),
};

function breach(
  bucket: string,
  count: number,
  objects: readonly RequestedObject[],
  options: ArchivedObjectsOptions,
): Breach {
  const named = objects.slice(0, NAMED_OBJECTS);
  return {
    kind: 'breach',
    labels: { bucket },
    summary: `${formatCount(count)} reads of archived objects in bucket ${bucket} were refused.`,
    facts: [
      { name: 'Bucket', value: bucket },
      { name: 'Refused reads', value: `${formatCount(count)} in ${describeDuration(options.windowMs)}` },
      ...named.map(objectFact),
    ],
    ...(named.length > 0 ? { subjects: named.map(subjectOf) } : {}),
  };
}

function objectFact(requested: RequestedObject): Fact {
  const { key, versionId, count } = requested;
  const version = versionId === undefined ? '' : `, version ${versionId}`;
  const value = `${key}${version} (${formatCount(count)} times)`;
  return { name: 'Object', value, object: subjectOf(requested) };
}

function subjectOf({ bucket, key, versionId }: RequestedObject): ObjectSubject {
  return { bucket, key, ...(versionId === undefined ? {} : { versionId }) };
}
