import type { ObjectSubject } from '../alert.ts';

/** The address of the page that looks up an object, relative to the status page. */
export function objectPage({ bucket, key, versionId }: ObjectSubject): string {
  const query = new URLSearchParams({
    bucket,
    key,
    ...(versionId === undefined ? {} : { version: versionId }),
  });
  return `objects?${query}`;
}
