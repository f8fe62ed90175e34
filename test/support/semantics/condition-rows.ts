/** Rows of docs/semantics.md, section 3. */

/** The object that the conditions are asked of. */
interface ConditionedObject {
  readonly etag: string;
  readonly modifiedMs: number;
  /** The store's time. */
  readonly nowMs: number;
}

type Headers = Readonly<Record<string, string>>;

interface ConditionRow {
  readonly row: number | string;
  readonly status: number;
  /** The names of the headers. */
  readonly names: string;
  headers(object: ConditionedObject): Headers;
}

type Value = (object: ConditionedObject) => string;

const httpDate = (ms: number) => new Date(ms).toUTCString();
const tag: Value = ({ etag }) => etag;
const other: Value = () => '"other"';
const since =
  (deltaMs: number): Value =>
  ({ modifiedMs }) =>
    httpDate(modifiedMs + deltaMs);
const tomorrow: Value = ({ nowMs }) => httpDate(nowMs + 86_400_000);
const earlierMs = -10_000;
const laterMs = 10_000;

export const conditionRows: readonly ConditionRow[] = [
  conditionRow(56, 200, { 'if-match': tag }),
  conditionRow(57, 200, { 'if-match': ({ etag }) => etag.slice(1, -1) }),
  conditionRow(58, 304, { 'if-none-match': ({ etag }) => etag.slice(1, -1) }),
  conditionRow('59 and 60', 412, { 'if-match': other }),
  conditionRow(61, 200, { 'if-match': () => '*' }),
  conditionRow(62, 304, { 'if-none-match': () => '*' }),
  conditionRow(63, 304, { 'if-match': () => '*', 'if-none-match': () => '*' }),
  conditionRow(64, 200, { 'if-match': ({ etag }) => `"x", ${etag}` }),
  conditionRow(64, 200, { 'if-match': ({ etag }) => `"x",${etag}` }),
  conditionRow(65, 304, { 'if-none-match': ({ etag }) => `"x", ${etag}, "y"` }),
  conditionRow(66, 304, { 'if-none-match': ({ etag }) => `W/${etag}` }),
  conditionRow(67, 412, { 'if-match': ({ etag }) => `W/${etag}` }),
  conditionRow(68, 412, { 'if-unmodified-since': since(earlierMs) }),
  conditionRow(69, 304, { 'if-modified-since': since(laterMs) }),
  conditionRow(70, 304, { 'if-modified-since': since(0) }),
  conditionRow(71, 200, { 'if-unmodified-since': since(0) }),
  conditionRow(72, 200, { 'if-match': tag, 'if-unmodified-since': since(earlierMs) }),
  conditionRow(73, 304, { 'if-match': tag, 'if-modified-since': since(laterMs) }),
  conditionRow(74, 412, { 'if-match': other, 'if-none-match': tag }),
  conditionRow(75, 412, { 'if-unmodified-since': since(earlierMs), 'if-none-match': tag }),
  conditionRow(76, 412, { 'if-unmodified-since': since(earlierMs), 'if-none-match': other }),
  conditionRow(77, 200, { 'if-none-match': other, 'if-modified-since': since(laterMs) }),
  conditionRow(78, 304, { 'if-none-match': tag, 'if-modified-since': since(earlierMs) }),
  conditionRow(79, 200, { 'if-modified-since': tomorrow }),
  conditionRow(80, 200, { 'if-unmodified-since': tomorrow }),
  conditionRow(81, 200, { 'if-modified-since': () => 'yesterday' }),
  conditionRow(82, 200, { 'if-unmodified-since': () => 'yesterday' }),
  conditionRow(83, 304, { 'if-modified-since': ({ modifiedMs }) => new Date(modifiedMs).toISOString() }),
  conditionRow(83, 412, {
    'if-unmodified-since': ({ modifiedMs }) => new Date(modifiedMs + earlierMs).toISOString(),
  }),
  conditionRow(83, 304, { 'if-modified-since': ({ modifiedMs }) => rfc850Date(modifiedMs) }),
  conditionRow(83, 304, { 'if-modified-since': ({ modifiedMs }) => asctimeDate(modifiedMs) }),
  conditionRow(84, 304, {
    'if-modified-since': ({ modifiedMs }) => httpDate(modifiedMs).replace(/^\w+/, 'Mon'),
  }),
  conditionRow(84, 200, {
    'if-modified-since': ({ modifiedMs }) => httpDate(modifiedMs).replace('GMT', '+0100'),
  }),
  conditionRow(92, 200, { 'if-match': () => '' }),
  conditionRow(285, 304, { 'if-match': tag, 'if-none-match': tag }),
];

/** Rows 59 and 68: which header the refusal names. */
export const namedConditions: readonly [name: string, headers: (object: ConditionedObject) => Headers][] = [
  ['If-Match', conditionRow(59, 412, { 'if-match': other, 'if-unmodified-since': since(earlierMs) }).headers],
  ['If-Unmodified-Since', conditionRow(68, 412, { 'if-unmodified-since': since(earlierMs) }).headers],
];

/** Row 286: each of the four headers absent, true and false, with the status by Conditional rules 2 and 3. */
export const everyCombination: readonly ConditionRow[] = combinations();

type Truth = 'absent' | 'true' | 'false';

function combinations(): ConditionRow[] {
  const truths: readonly Truth[] = ['absent', 'true', 'false'];
  return truths.flatMap(match =>
    truths.flatMap(unmodified =>
      truths.flatMap(noneMatch =>
        truths.map(modified => combination(match, unmodified, noneMatch, modified)),
      ),
    ),
  );
}

function combination(match: Truth, unmodified: Truth, noneMatch: Truth, modified: Truth): ConditionRow {
  const failed = match === 'false' || (match === 'absent' && unmodified === 'false');
  const unchanged = noneMatch === 'false' || (noneMatch === 'absent' && modified === 'false');
  return conditionRow(286, failed ? 412 : unchanged ? 304 : 200, {
    ...(match !== 'absent' && { 'if-match': match === 'true' ? tag : other }),
    ...(unmodified !== 'absent' && {
      'if-unmodified-since': since(unmodified === 'true' ? laterMs : earlierMs),
    }),
    ...(noneMatch !== 'absent' && { 'if-none-match': noneMatch === 'true' ? other : tag }),
    ...(modified !== 'absent' && { 'if-modified-since': since(modified === 'true' ? earlierMs : laterMs) }),
  });
}

function conditionRow(
  row: number | string,
  status: number,
  conditions: Readonly<Record<string, Value>>,
): ConditionRow {
  const values = Object.entries(conditions);
  return {
    row,
    status,
    names: values.map(([name]) => name).join(' and '),
    headers: object => Object.fromEntries(values.map(([name, value]) => [name, value(object)])),
  };
}

/** RFC 9110 §5.6.7, obsolete forms. */
function rfc850Date(ms: number): string {
  const [, day, month, year, time] = /, (\d\d) (\w+) \d\d(\d\d) ([\d:]+)/.exec(httpDate(ms)) ?? [];
  const weekday = new Date(ms).toLocaleDateString('en-GB', { weekday: 'long', timeZone: 'UTC' });
  return `${weekday}, ${day}-${month}-${year} ${time} GMT`;
}

function asctimeDate(ms: number): string {
  const [, weekday, day = '', month, year, time] =
    /(\w+), (\d\d) (\w+) (\d+) ([\d:]+)/.exec(httpDate(ms)) ?? [];
  return `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
}
