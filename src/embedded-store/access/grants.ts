import type { Grant } from './caller.ts';

/** A requested action and its target. */
interface PermissionRequest {
  readonly action: string;
  readonly bucket: string;
  readonly key: string;
}

/** Whether one of the grants allows the request; without a list of grants everything is allowed. */
export function isGranted(
  grants: readonly Grant[] | undefined,
  { action, bucket, key }: PermissionRequest,
): boolean {
  if (!grants) return true;
  return grants.some(
    grant =>
      grant.actions.some(name => name === '*' || name === action) &&
      matchesAny(grant.buckets, bucket) &&
      matchesAny(grant.keys, key),
  );
}

/** The last matching pattern decides; one that begins with `!` excludes. */
function matchesAny(patterns: readonly string[] | undefined, text: string): boolean {
  if (!patterns) return true;
  const last = patterns.findLast(pattern => matches(pattern.replace(/^!/, ''), text));
  return last !== undefined && !last.startsWith('!');
}

function matches(pattern: string, text: string): boolean {
  const source = pattern
    .split(/(\*\*?)/)
    .map(piece => (piece === '**' ? '.*' : piece === '*' ? '[^/]*' : literal(piece)));
  return new RegExp(`^${source.join('')}$`, 's').test(text);
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
