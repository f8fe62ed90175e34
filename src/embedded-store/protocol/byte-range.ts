/** The bytes that a Range header selects; both ends of a span are inclusive. */
type RangeVerdict =
  | { readonly kind: 'whole' }
  | { readonly kind: 'span'; readonly first: number; readonly last: number }
  | { readonly kind: 'unsatisfiable' };

const whole: RangeVerdict = { kind: 'whole' };
const unsatisfiable: RangeVerdict = { kind: 'unsatisfiable' };

/**
 * docs/semantics.md, section 1: one byte range without spaces; anything else is ignored (rows 12 to 19, 35). `values`
 * are the header's occurrences.
 */
export function evaluateRange(values: readonly string[], sizeBytes: number): RangeVerdict {
  const [value, ...others] = values;
  const match = value === undefined || others.length > 0 ? null : /^bytes=(\d*)-(\d*)$/i.exec(value);
  if (!match) return whole;
  const [, first = '', last = ''] = match;
  if (first === '') return last === '' ? whole : judgeSuffix(Number(last), sizeBytes);
  const end = last === '' ? Number.POSITIVE_INFINITY : Number(last);
  if (Number(first) > end) return whole;
  if (Number(first) >= sizeBytes) return unsatisfiable;
  return { kind: 'span', first: Number(first), last: Math.min(end, sizeBytes - 1) };
}

/** A suffix range: length 0 is unsatisfiable (row 9); for an empty object any other gives the empty object (row 25). */
function judgeSuffix(length: number, sizeBytes: number): RangeVerdict {
  if (length === 0) return unsatisfiable;
  if (sizeBytes === 0) return whole;
  return { kind: 'span', first: Math.max(0, sizeBytes - length), last: sizeBytes - 1 };
}
