import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OriginRequest, ScriptedOrigin } from '../../support/scripted-origin.ts';
import type { TestGateway } from '../../support/test-gateway.ts';
import { startWebGateway } from '../../support/web-gateway.ts';

let origin: ScriptedOrigin;
let gateway: TestGateway;

/** Answers in the first language that it is told, or in Italian. */
function inLanguage({ headers, url }: OriginRequest) {
  const [language = 'it'] = headers['accept-language']?.split(/[,;]/) ?? [];
  return {
    ...{ 'cache-control': 'max-age=60', vary: 'Accept-Language', 'content-language': language },
    ...(url?.endsWith('/tagged') && { etag: `"${language}"` }),
  };
}

const told = () => origin.asked.map(({ headers }) => headers['accept-language']);

describe.each([1, 2])('of a site with languages, with %i workers,', workers => {
  beforeEach(async () => {
    const keyRules = [
      { keys: ['/raw/**'], languages: [] },
      { keys: ['/fixed'], requestHeaders: { set: { 'accept-language': 'fr' }, remove: [] } },
      { keys: ['**'], languages: ['de', 'en'] },
    ];
    ({ origin, gateway } = await startWebGateway(inLanguage, { workers, keyRules, name: 'web' }));
  });
  afterEach(async () => {
    await gateway.close();
    await origin.close();
  });

  let worker = 0;
  /** In which language the answer is, and how many questions the origin was asked so far; each request comes to another worker. */
  const languageOf = async (accepted: string | undefined, path = '/web/page') => {
    const fields = accepted === undefined ? {} : { 'accept-language': accepted };
    const { headers } = await gateway.get(path, fields, worker++ % workers);
    return `${headers['content-language']} ${origin.asked.length}`;
  };

  it.each(['/web/page', '/web/tagged'])('spellings that mean the same share one answer: %s', async path => {
    expect(await languageOf('en, de', path)).toBe('de 1');
    for (const same of ['de, en', 'de-AT,de;q=0.9,en-US;q=0.8,en;q=0.7', '*', 'fr, de;q=0.5, EN;q=0.5'])
      expect(await languageOf(same, path), same).toBe('de 1');
    expect(await languageOf('en-GB, en;q=0.9, de;q=0.3', path)).toBe('en 2');
    expect(await languageOf('en;q=0.2, de;q=0.1', path)).toBe('en 2');
    expect(told()).toEqual(['de, en;q=0.9', 'en, de;q=0.9']);
  });

  it('who accepts none of them, says nothing or something malformed gets what the origin has for one that says nothing', async () => {
    expect(await languageOf(undefined)).toBe('it 1');
    for (const none of ['fr', 'de;q=0', 'de;q=9', '_', `de${',x'.repeat(64)}`])
      expect(await languageOf(none), none).toBe('it 1');
    expect(told()).toEqual([undefined]);
  });

  it('a purge ends all variants, and they are explained by what the origin was told', async () => {
    await languageOf('en, de');
    await languageOf('fr');
    const held = () => gateway.gateways.map(each => each.describe('web', '/page')).find(Boolean)?.records;
    const values = held()?.flatMap(({ variant = [] }) => variant.map(({ value }) => value));
    expect(values?.sort()).toEqual(['de,en;q=0.9', null]);
    for (const each of gateway.gateways) each.purge({ kind: 'key', bucket: 'web', key: '/page' });
    expect(await languageOf('de, en')).toBe('de 3');
    expect(await languageOf(undefined)).toBe('it 4');
  });

  it('a rule may leave what clients say as it is, and one that gives all the same counts more', async () => {
    await languageOf('en, de', '/web/raw/page');
    await languageOf('en, de', '/web/fixed');
    expect(told()).toEqual(['en, de', 'fr']);
  });

  it('what is passed is told the same', async () => {
    await gateway.send('POST', '/web/page', { 'content-length': '0', 'accept-language': 'fr, en;q=0.5, de' });
    expect(told()).toEqual(['de, en;q=0.9']);
  });
});

it('without languages the origin is told what clients say', async () => {
  ({ origin, gateway } = await startWebGateway(inLanguage, { name: 'web' }));
  for (const accepted of ['en, de', 'de, en', '_'])
    await gateway.get('/web/page', { 'accept-language': accepted });
  expect(told()).toEqual(['en, de', 'de, en', '_']);
  await gateway.close();
  await origin.close();
});
