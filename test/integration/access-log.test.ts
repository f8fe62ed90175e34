import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.ts';
import { patternContent } from '../support/stand-in/content.ts';
import { StandInStore } from '../support/stand-in-store.ts';

let directory: string;
let file: string;
let store: StandInStore;
let gateway: GatewayProcess | undefined;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-access-log-'));
  file = join(directory, 'access.log');
  store = await StandInStore.start();
  store.put('b', 'k', patternContent(1_024));
});

afterEach(async () => {
  await gateway?.stop();
  gateway = undefined;
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const setup = (accessLog: object) => ({
  backends: { store: { type: 's3', endpoint: store.url } },
  buckets: { b: { backend: 'store', access: 'public', cache: { ttl: '1h' } } },
  ...{ memory: '32MiB', workers: 2, accessLog },
});

async function start(accessLog: object): Promise<GatewayProcess> {
  gateway = await GatewayProcess.start(setup(accessLog));
  return gateway;
}

const linesOf = (path: string) =>
  (existsSync(path) ? readFileSync(path, 'utf8') : '').split('\n').slice(0, -1);

/** Requests one after the other until `isOver`, each with a number of its own; gives how many. */
async function load(url: string, client: number, isOver: () => boolean): Promise<number> {
  let sent = 0;
  for (; !isOver(); sent++) {
    const response = await fetch(`${url}/b/k`, { headers: { 'user-agent': `${client}.${sent}` } });
    await response.arrayBuffer();
  }
  return sent;
}

it('is rotated under load without a line lost or torn', async () => {
  const { url, pid } = await start({ file });
  let isOver = false;
  const clients = Array.from({ length: 4 }, (_, client) => load(url, client, () => isOver));
  const rotated: string[] = [];
  for (let rotation = 0; rotation < 5; rotation++) {
    await vi.waitUntil(() => linesOf(file).length > 20, { timeout: 60_000 });
    rotated.push(`${file}.${rotation}`);
    renameSync(file, `${file}.${rotation}`);
    process.kill(pid, 'SIGUSR2');
    await vi.waitUntil(() => existsSync(file), { timeout: 60_000 });
  }
  isOver = true;
  const sent = await Promise.all(clients);
  await gateway?.halt();
  const lines = [...rotated, file].flatMap(linesOf).map(line => JSON.parse(line));
  const seen = lines.map(({ userAgent }) => userAgent).sort();
  const expected = sent.flatMap((count, client) =>
    Array.from({ length: count }, (_, each) => `${client}.${each}`),
  );
  expect(seen).toEqual(expected.sort());
  expect(lines[0]).toMatchObject({ client: '127.0.0.1', protocol: 'HTTP/1.1', status: 200, bytes: 1_024 });
  expect(gateway?.output).not.toContain('requestId');
});

it('goes on in the old file when the new one cannot be opened, and says so', async () => {
  const { url, pid } = await start({ file });
  renameSync(file, `${file}.1`);
  mkdirSync(file);
  process.kill(pid, 'SIGUSR2');
  await vi.waitUntil(() => gateway?.output.includes('the old one goes on'), { timeout: 60_000 });
  await fetch(`${url}/b/k`);
  await gateway?.halt();
  expect(linesOf(`${file}.1`)).toHaveLength(1);
});

it('a disk that is full is told by /readyz, until what waits is written', async () => {
  symlinkSync('/dev/full', file);
  const running = await start({ file });
  const warnings = async () => JSON.parse(await (await fetch(`${running.adminUrl}/readyz`)).text()).warnings;
  const waiting = `logLines: Lines of the log are not written (file ${file})`;
  await fetch(`${running.url}/b/k`);
  await vi.waitUntil(async () => (await warnings())?.includes(waiting), { timeout: 60_000, interval: 250 });
  expect((await running.metrics()).total('access_log_usable')).toBe(0);
  unlinkSync(file);
  process.kill(running.pid, 'SIGUSR2');
  await vi.waitUntil(() => linesOf(file).length === 1, { timeout: 60_000 });
  expect((await running.metrics()).total('access_log_usable')).toBe(1);
});

it('goes elsewhere, in another format, after a reload; a file that cannot be opened changes nothing', async () => {
  const running = await start({ file });
  await fetch(`${running.url}/b/k`);
  const second = join(directory, 'second.log');
  running.rewrite(setup({ file: second, format: 'combined' }));
  expect(await running.reload()).toMatchObject({ status: 200 });
  await fetch(`${running.url}/b/k?x=1`, { headers: { 'user-agent': 'a "b"' } });
  running.rewrite(setup({ file: join(directory, 'none', 'log') }));
  expect(await running.reload()).toMatchObject({ status: 422 });
  await fetch(`${running.url}/b/k?x=2`, { headers: { 'user-agent': 'a "b"' } });
  await running.halt();
  expect(linesOf(file)).toHaveLength(1);
  const pattern = /^127\.0\.0\.1 - - \[[^\]]+\] "GET \/b\/k\?x=\d HTTP\/1\.1" 200 1024 "-" "a \\"b\\""$/;
  expect(linesOf(second)).toEqual([expect.stringMatching(pattern), expect.stringMatching(pattern)]);
});

it('SIGUSR2 without a file ends nothing', async () => {
  const { url, pid } = await start({ sample: 1 });
  process.kill(pid, 'SIGUSR2');
  expect((await fetch(`${url}/b/k`)).status).toBe(200);
});
