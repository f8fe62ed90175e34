// @ts-check
/** Requests to the API of the admin port. If it wants its bearer token, the reader is asked for it once per tab. */
import { element } from './elements.js';

const TOKEN = 'token';

/** @type {Promise<void> | undefined} */
let signingIn;

/**
 * Like `fetch`, with the bearer token if the reader has entered it; never asks for it.
 * @param {string} path
 * @param {RequestInit} [init]
 */
export function fetchAdmin(path, init = {}) {
  const token = sessionStorage.getItem(TOKEN);
  const authorization = token ? { authorization: `Bearer ${token}` } : {};
  return fetch(path, { ...init, cache: 'no-store', headers: { ...init.headers, ...authorization } });
}

/**
 * Like `fetchAdmin`; while the token is missing or wrong, it waits for the reader to enter it.
 * @param {string} path
 * @param {RequestInit} [init]
 * @param {number} [patienceMs] for each answer; a gateway that hangs gives none. The reader may take longer for the token
 * @returns {Promise<Response>} of any status except 401
 */
export async function askAdmin(path, init = {}, patienceMs) {
  for (;;) {
    const token = sessionStorage.getItem(TOKEN);
    const signal = patienceMs === undefined ? {} : { signal: AbortSignal.timeout(patienceMs) };
    const response = await fetchAdmin(path, { ...init, ...signal });
    if (response.status !== 401) return response;
    // another request may have got a new token meanwhile
    if (sessionStorage.getItem(TOKEN) === token) await signIn(token !== null);
  }
}

/**
 * Sends a change. The content type cannot be sent by forms of other sites, and the admin port takes no other.
 * @param {string} path
 * @param {unknown} body
 * @param {'POST' | 'DELETE'} [method]
 */
export function changeAdmin(path, body, method = 'POST') {
  return askAdmin(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/**
 * Why a request was refused, for the reader.
 * @param {Response} response
 * @returns {Promise<string>}
 */
export async function reasonOf(response) {
  const body = await response.json().catch(() => undefined);
  return typeof body?.reason === 'string'
    ? body.reason
    : `the gateway answered with status ${response.status}`;
}

/**
 * One form for all requests that wait for the token.
 * @param {boolean} isWrong
 */
function signIn(isWrong) {
  signingIn ??= showSignIn(isWrong).finally(() => {
    signingIn = undefined;
  });
  return signingIn;
}

/** @param {boolean} isWrong */
function showSignIn(isWrong) {
  const { promise, resolve } = /** @type {PromiseWithResolvers<void>} */ (Promise.withResolvers());
  const question = isWrong
    ? 'This is not the token of this admin port.'
    : 'This admin port asks for its token.';
  const input = element('input', { id: 'token', type: 'password', autocomplete: 'off', required: '' });
  const form = element(
    'form',
    { id: 'sign-in', class: 'panel sign-in' },
    element('label', { for: 'token' }, `${question} It is admin.token of the configuration.`),
    element('div', { class: 'row' }, input, element('button', { type: 'submit', class: 'primary' }, 'Go on')),
  );
  const main = document.querySelector('main');
  form.addEventListener('submit', event => {
    event.preventDefault();
    sessionStorage.setItem(TOKEN, input.value);
    form.remove();
    main?.classList.remove('locked');
    resolve();
  });
  main?.classList.add('locked');
  main?.before(form);
  input.focus();
  return promise;
}
