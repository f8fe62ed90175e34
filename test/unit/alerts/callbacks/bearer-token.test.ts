import { createServer, type Server } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { createLocalIssuer } from '../../../../src/admin/channel/local-issuer.ts';
import { remoteKeys, verifyBearer } from '../../../../src/alerts/callbacks/bearer-token.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A directory that gives out the keys of whoever `issuers` names, and counts how often it was asked. */
async function directory(issuers: { keys: { keys: readonly object[] } }[], status = () => 200) {
  let asked = 0;
  const server = createServer((_, response) => {
    asked++;
    const keys = issuers.flatMap(issuer => issuer.keys.keys);
    response.writeHead(status(), { 'content-type': 'application/json' }).end(JSON.stringify({ keys }));
  });
  servers.push(server);
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no address');
  return { url: `http://127.0.0.1:${address.port}/keys`, asked: () => asked };
}

const clock = new ManualClock();
const identity = {
  audience: 'https://gateway.test',
  issuer: 'https://directory.test/',
  appId: 'app',
  subject: 'ada',
};

function options(url: string) {
  return {
    issuer: identity.issuer,
    audience: identity.audience,
    keys: remoteKeys(url),
    appIds: [identity.appId],
    allowedSubjects: new Map([['ada', 'Ada']]),
    clockToleranceS: 300,
  };
}

it('fetches the key set once for many tokens', async () => {
  const issuer = await createLocalIssuer({ ...identity, clock });
  const keys = await directory([issuer]);
  const bearer = options(keys.url);
  for (let token = 0; token < 3; token++) {
    const headers = { authorization: `Bearer ${await issuer.mint()}` };
    expect(await verifyBearer(headers, bearer, clock)).toEqual({
      kind: 'known',
      subject: 'ada',
      name: 'Ada',
    });
  }
  expect(keys.asked()).toBe(1);
});

it('refuses, and does not let pass, while the key set cannot be had', async () => {
  const issuer = await createLocalIssuer({ ...identity, clock });
  const keys = await directory([issuer], () => 500);
  const headers = { authorization: `Bearer ${await issuer.mint()}` };
  const failing = await verifyBearer(headers, options(keys.url), clock);
  expect(failing).toMatchObject({ kind: 'refused', code: 'token-keys-unavailable' });
  const nobody = await verifyBearer(headers, options('http://127.0.0.1:1/keys'), clock);
  expect(nobody).toMatchObject({ kind: 'refused', code: 'token-keys-unavailable' });
});
