// @ts-check
/** Looks up what is cached of one object, and purges. The address names the object, so that it can be linked to. */
import { askAdmin, changeAdmin, fetchAdmin, reasonOf } from '../../page/admin-api.js';
import { byId, element, fillFacts, visible } from '../../page/elements.js';
import { formatBytes, formatCount, formatDuration } from '../../page/format.js';
import { describeRecord, describeVariant } from './describe-record.js';
import { readRecordName } from './record-name.js';

/** @typedef {import('./describe-record.js').HeldRecord} HeldRecord */
/** @typedef {{ bucket: string, key: string, backend?: string, bucketAtBackend?: string, records: readonly HeldRecord[] }} Held */

const NO_ANSWER = 'The gateway does not answer.';
const fields = /** @type {const} */ (['bucket', 'key', 'version']);
const dialog = /** @type {HTMLDialogElement} */ (byId('confirm'));
const form = /** @type {HTMLFormElement} */ (byId('look-up'));

/** Answers to older questions are not shown. */
let asked = 0;

/** @param {(typeof fields)[number]} name */
function input(name) {
  return /** @type {HTMLInputElement} */ (byId(name));
}

form.addEventListener('submit', event => {
  event.preventDefault();
  const query = new URLSearchParams(fields.map(name => [name, input(name).value]));
  if (!query.get('version')) query.delete('version');
  history.pushState(null, '', `?${query}`);
  tell('done', '');
  void lookUp();
});

addEventListener('popstate', () => void openAddress());

async function openAddress() {
  const query = new URLSearchParams(location.search);
  for (const name of fields) input(name).value = query.get(name) ?? '';
  tell('done', '');
  byId('result').hidden = true;
  if (input('bucket').value && input('key').value) await lookUp();
}

async function lookUp() {
  asked += 1;
  const number = asked;
  const [bucket, key, version] = fields.map(name => input(name).value);
  const query = new URLSearchParams({ bucket: bucket ?? '', key: key ?? '' });
  const answer = await askAdmin(`/api/object?${query}`).catch(() => undefined);
  const held = answer?.ok ? await answer.json() : undefined;
  const problem = held ? '' : answer ? await reasonOf(answer) : NO_ANSWER;
  if (number !== asked) return;
  byId('result').hidden = !held;
  if (held) show(held, version ?? '');
  else tell('failed', problem);
}

/**
 * @param {Held} held
 * @param {string} version only records of it; empty for all
 */
function show({ bucket, key, backend, bucketAtBackend, records }, version) {
  byId('name').textContent = `${visible(bucket)} / ${visible(key)}`;
  byId('where').textContent = backend ? `bucket ${visible(bucketAtBackend ?? '')} of backend ${backend}` : '';
  // a refusal has no version id of its own, only the one that was asked for
  const shown = records.filter(
    ({ versionId, name }) => !version || versionId === version || readRecordName(name).versionId === version,
  );
  const nothing = version
    ? 'Nothing is cached of this version.'
    : 'Nothing is cached of this object: the next read asks the store.';
  byId('records').replaceChildren(
    ...(shown.length > 0 ? shown.map(recordItem) : [element('li', {}, nothing)]),
  );
}

/** @param {HeldRecord} record */
function recordItem(record) {
  const { status, entityTag, versionId, sizeBytes, ageS, memory } = record;
  const { state, text } = describeRecord(record);
  const facts = element('dl', { class: 'facts' });
  /** @type {[string, string | undefined][]} */
  const all = [
    ['Status', String(status)],
    ['Size', sizeBytes === undefined ? undefined : `${formatBytes(sizeBytes)} (${sizeBytes} bytes)`],
    [
      'In memory',
      sizeBytes === undefined ? undefined : `${formatBytes(memory.bytes)} in ${blocks(memory.blocks)}`,
    ],
    ['Age', formatDuration(ageS * 1_000)],
    ['Entity tag', entityTag],
    ['Version id', versionId],
    ['For requests with', requestsOf(record)],
  ];
  fillFacts(
    facts,
    all.flatMap(([fact, value]) =>
      value === undefined ? [] : [/** @type {const} */ ([fact, visible(value)])],
    ),
  );
  return element('li', { 'data-state': state }, element('strong', {}, text), facts);
}

/**
 * Which requests get this record, if not all.
 * @param {HeldRecord} record
 */
function requestsOf({ name, variant }) {
  if (variant) return describeVariant(variant) || undefined;
  const { method, versionId, origin, expectedBucketOwner, requestPayer } = readRecordName(name);
  const texts = Object.entries({
    'method ': method,
    'versionId ': versionId,
    'Origin ': origin,
    'expected bucket owner ': expectedBucketOwner,
    'request payer ': requestPayer,
  }).flatMap(([what, value]) => (value ? [what + value] : []));
  return texts.length > 0 ? texts.join(', ') : undefined;
}

/** @param {number} count */
function blocks(count) {
  return count === 1 ? '1 block' : `${formatCount(count)} blocks`;
}

byId('purge-key').addEventListener('click', () => void purge('key'));
byId('purge-prefix').addEventListener('click', () => void purge('prefix'));

/** @param {'key' | 'prefix'} what */
async function purge(what) {
  if (!form.reportValidity()) return;
  const [bucket, name] = [input('bucket').value, input('key').value];
  const named = what === 'key' ? `the key “${visible(name)}”` : `all keys that begin with “${visible(name)}”`;
  if (!(await isConfirmed(`Purge ${named} of bucket “${visible(bucket)}”?`))) return;
  tell('done', 'Purging …');
  const answer = await changeAdmin('/api/purge', { bucket, [what]: name }).catch(() => undefined);
  if (!answer) {
    tell('failed', `${NO_ANSWER} Whether it was purged is not known.`);
    return;
  }
  if (answer.ok) tell('done', outcomeOf(await answer.json(), named));
  else tell('failed', `Not purged: ${await reasonOf(answer)}`);
  await lookUp();
}

/**
 * @param {{ objects?: number, bytes?: number, counted?: 'pending' }} outcome
 * @param {string} named
 */
function outcomeOf({ objects = 0, bytes = 0, counted }, named) {
  if (counted) return `Purged ${named}. How much was held is still being counted.`;
  if (objects === 0) return `Purged ${named}: nothing was cached.`;
  return `Purged ${named}: ${objects === 1 ? '1 object' : `${formatCount(objects)} objects`}, ${formatBytes(bytes)}.`;
}

/** @param {string} question */
function isConfirmed(question) {
  byId('question').textContent = question;
  dialog.returnValue = 'cancel';
  dialog.showModal();
  return new Promise(resolve => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'purge'), { once: true });
  });
}

/**
 * @param {'done' | 'failed'} kind
 * @param {string} text empty for none
 */
function tell(kind, text) {
  const message = byId('message');
  message.hidden = text === '';
  message.dataset.kind = kind;
  message.textContent = text;
}

/** Suggests the buckets of the configuration. */
async function suggestBuckets() {
  const answer = await fetchAdmin('/api/status').catch(() => undefined);
  if (!answer?.ok) return;
  /** @type {{ buckets: readonly { name: string }[] }} */
  const { buckets } = await answer.json();
  const names = buckets.map(({ name }) => name).filter(name => name !== '*');
  byId('buckets').replaceChildren(...names.map(value => element('option', { value })));
}

await openAddress();
await suggestBuckets();
