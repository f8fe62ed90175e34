import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { lastInstruction } from '../support/dockerfile.ts';
import { run } from '../support/real-process.ts';
import { checkedConfig } from './checked-config.ts';

const root = new URL('../..', import.meta.url).pathname;
const volume = z.object({ type: z.string(), source: z.string(), target: z.string() });
const service = z.object({
  environment: z.record(z.string(), z.string()).default({}),
  ports: z.array(z.object({ host_ip: z.string().optional(), target: z.number() })).default([]),
  volumes: z.array(volume).default([]),
});
const composition = z.object({
  configs: z.record(z.string(), z.object({ content: z.string() })),
  services: z.record(z.string(), service),
});
let folder: string;
let composed: z.infer<typeof composition>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-compose-'));
  // the program of the library hands no environment on, so the defaults of the file are seen
  const read = await run('compose-go', ['-format', 'json', 'compose.yaml'], { cwd: join(root, 'config') });
  composed = composition.parse(JSON.parse(read));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The contents of a config, as a container sees them. */
function contents(name: string): string {
  return composed.configs[name]?.content.replaceAll('$$', '$') ?? '';
}

it('the library of compose reads the file, and the store and the gateway share its secret', () => {
  expect(Object.keys(composed.services).sort()).toEqual(['grafana', 'prometheus', 'store', 'tidegate']);
  expect(composed.services.store?.environment.ROOT_SECRET_ACCESS_KEY).toBe('store-secret');
  expect(composed.services.tidegate?.environment.STORE_SECRET).toBe('store-secret');
});

it('the gateway takes its configuration, with the environment of its container', async () => {
  const environment = composed.services.tidegate?.environment ?? {};
  const text = contents('tidegate');
  expect(await checkedConfig(folder, text, environment)).toContain('1 bucket, 1 backend');
  await expect(checkedConfig(folder, text, {})).rejects.toThrow('TIDEGATE_ADMIN_TOKEN');
});

it('Prometheus takes its configuration and the rules beside it', async () => {
  const file = join(folder, 'prometheus.yml');
  const rules = join(root, 'config/prometheus');
  writeFileSync(file, contents('prometheus').replace('/etc/prometheus/rules', rules));
  expect(contents('prometheus')).toContain(composed.services.tidegate?.environment.TIDEGATE_ADMIN_TOKEN);
  expect(await run('promtool', ['check', 'config', file])).toMatch(/SUCCESS: \d+ rules found/);
});

it('all that is mounted of the clone is there, and ports are those of this machine alone', () => {
  const services = Object.values(composed.services);
  const mounted = services.flatMap(({ volumes }) => volumes.filter(({ type }) => type === 'bind'));
  expect(mounted.map(({ source }) => source.slice(root.length)).sort()).toEqual([
    'config/grafana',
    'config/prometheus',
  ]);
  for (const { source } of mounted) expect(existsSync(source), source).toBe(true);
  const ports = services.flatMap(each => each.ports);
  expect(ports.length).toBeGreaterThan(3);
  expect(ports.filter(({ host_ip }) => host_ip !== '127.0.0.1')).toEqual([]);
});

it('what the gateway may write to is the volume of its image', () => {
  const targets = composed.services.tidegate?.volumes.map(({ target }) => target);
  expect(targets).toEqual([lastInstruction('VOLUME')]);
});
