import { expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/load-config.ts';
import { refuseUnknownHosts } from '../../../src/config/unknown-hosts.ts';

/** What a resolver says of each name; it is asked for no address. */
async function find(host: string): Promise<void> {
  if (host === 'localhost') return;
  const code = host === 'slow.test' ? 'EAI_AGAIN' : 'ENOTFOUND';
  throw Object.assign(new Error(`getaddrinfo ${code} ${host}`), { code });
}

const refused = (yaml: string) => refuseUnknownHosts(parseConfig(yaml, {}), 'a.yaml', find);

it('names that stand for no address are refused with their keys', async () => {
  const callbacks =
    'callbacks: { host: c.test, port: 1, url: "https://g", token: { keys: "http://k", subjects: {} } }';
  const yaml = `{ listen: [{ host: localhost }, { host: b.test, port: 2 }], admin: { host: a.test, token: t1 }, alerts: { ${callbacks} } }`;
  const expected = 'is a name that is not known; expected an address of this machine, or a name of one';
  await expect(refused(yaml)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    problems: ['listen[1].host', 'admin.host', 'alerts.callbacks.host'].map(key => `${key} ${expected}`),
  });
  await expect(refused('listen: { host: b.test }')).rejects.toMatchObject({
    problems: [`listen.host ${expected}`],
  });
});

it.each(['localhost', '127.0.0.1', '"::1"', '192.0.2.7', 'slow.test'])(
  '%s is not refused: it is there, or another start may find it',
  async host => {
    await expect(refused(`listen: { host: ${host} }`)).resolves.toBeUndefined();
  },
);
