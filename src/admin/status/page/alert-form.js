/** Asks who acknowledges or silences an alert, and for how long and why, and sends it. */
import { changeAdmin, reasonOf } from '../../page/admin-api.js';
import { byId } from '../../page/elements.js';

/**
 * @typedef {object} OpenAlert
 * @property {string} id
 * @property {string} rule
 * @property {string} summary
 * @property {Readonly<Record<string, string>>} labels
 */

/** The name stays for the next time. */
const NAME = 'name';

const dialog = /** @type {HTMLDialogElement} */ (byId('alert-form'));
const form = /** @type {HTMLFormElement} */ (dialog.querySelector('form'));
const problem = byId('alert-problem');

/** @type {{ kind: 'acknowledge' | 'silence', alert: OpenAlert } | undefined} */
let asked;
/** @type {() => void} */
let onDone = () => undefined;

/**
 * @param {'acknowledge' | 'silence'} kind
 * @param {OpenAlert} alert
 * @param {() => void} done called after the gateway has accepted it
 */
export function askAbout(kind, alert, done) {
  asked = { kind, alert };
  onDone = done;
  const isSilence = kind === 'silence';
  byId('alert-form-title').textContent = isSilence ? 'Silence this alert' : 'Acknowledge this alert';
  byId('alert-form-about').textContent = alert.summary;
  byId('alert-form-effect').textContent = isSilence
    ? 'No cards about it until then, also when it starts again.'
    : 'It is not repeated any more. Its end is still told.';
  const fields = /** @type {HTMLFieldSetElement} */ (byId('silence-fields'));
  fields.hidden = !isSilence;
  fields.disabled = !isSilence;
  problem.hidden = true;
  input('alert-by').value = localStorage.getItem(NAME) ?? '';
  dialog.showModal();
}

byId('alert-cancel').addEventListener('click', () => dialog.close());

form.addEventListener('submit', async event => {
  event.preventDefault();
  if (!asked) return;
  const by = input('alert-by').value.trim();
  const reason = await send(asked, by).catch(() => 'The gateway does not answer.');
  problem.hidden = reason === undefined;
  problem.textContent = reason ?? '';
  if (reason !== undefined) return;
  localStorage.setItem(NAME, by);
  input('alert-why').value = '';
  dialog.close();
  onDone();
});

/**
 * @param {NonNullable<typeof asked>} question
 * @param {string} by
 * @returns {Promise<string | undefined>} why it was refused
 */
async function send({ kind, alert: { id, rule, labels } }, by) {
  const answer = await (kind === 'acknowledge'
    ? changeAdmin('/api/alerts/acknowledge', { id, by })
    : changeAdmin('/api/silences', {
        ...{ rule, labels, by, why: input('alert-why').value },
        for: input('alert-for').value,
      }));
  return answer.ok ? undefined : reasonOf(answer);
}

/** @param {string} id */
function input(id) {
  return /** @type {HTMLInputElement} */ (byId(id));
}
