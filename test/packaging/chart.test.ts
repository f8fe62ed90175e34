import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { lastInstruction } from '../support/dockerfile.ts';
import { run } from '../support/real-process.ts';
import { checkedConfig } from './checked-config.ts';

const chart = new URL('../../config/helm', import.meta.url).pathname;
const resource = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string() }),
  data: z.record(z.string(), z.string()).optional(),
});
const fromEnvironment = (name: string) => `\${${name}}`;

/** What a set of values changes. */
const cases: readonly (readonly [string, object, readonly string[], string])[] = [
  [
    'as it is',
    {},
    ['ConfigMap', 'Secret', 'Service', 'Service', 'ServiceAccount', 'StatefulSet'],
    '0 buckets, 0 backends',
  ],
  [
    'with three gateways and secrets of its own',
    {
      replicas: 3,
      admin: { existingSecret: 'admin-token' },
      environment: [{ name: 'store-credentials' }],
      persistence: { enabled: false },
      serviceAccount: { create: false, name: 'gateway' },
      nodeSelector: { disk: 'fast' },
      tolerations: [{ key: 'gateway', operator: 'Exists' }],
      podAnnotations: { note: 'yes' },
      config: {
        backends: {
          store: {
            ...{ type: 's3', endpoint: 'http://store:7070', keys: 'path' },
            credentials: { accessKeyId: 'gateway', secretAccessKey: fromEnvironment('STORE_SECRET') },
          },
        },
        buckets: { photos: { backend: 'store', access: 'verify' } },
        clients: [
          {
            accessKeyId: 'app',
            secretAccessKey: fromEnvironment('STORE_SECRET'),
            allow: [{ buckets: ['photos'], actions: ['*'] }],
          },
        ],
      },
    },
    ['ConfigMap', 'PodDisruptionBudget', 'Service', 'Service', 'StatefulSet'],
    '1 bucket, 1 backend',
  ],
];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-chart-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The file with the resources that the chart makes of `values`. */
async function rendered(values: object): Promise<{ file: string; text: string }> {
  const given = join(folder, 'values.yaml');
  writeFileSync(given, JSON.stringify(values));
  const options = ['--namespace', 'web', '--kube-version', '1.33.0', '--values', given];
  const text = await run('helm', ['template', 'edge', chart, ...options]);
  const file = join(folder, 'rendered.yaml');
  writeFileSync(file, text);
  return { file, text };
}

it('helm finds nothing wrong with the chart', async () => {
  expect(await run('helm', ['lint', '--strict', chart])).toContain('1 chart(s) linted, 0 chart(s) failed');
});

it.each(cases)(
  '%s, Kubernetes knows each field, and the gateway takes its configuration',
  async (_, values, kinds, counts) => {
    const { file, text } = await rendered(values);
    await run('kubernetes-validate', ['--strict', '--no-warn', file]);
    const resources = parseAllDocuments(text).map(document => resource.parse(document.toJS()));
    expect(resources.map(({ kind }) => kind).sort()).toEqual(kinds);
    const config = resources.find(({ kind }) => kind === 'ConfigMap')?.data?.['tidegate.yaml'] ?? '';
    const environment = { TIDEGATE_ADMIN_TOKEN: 'token', STORE_SECRET: 'secret' };
    expect(await checkedConfig(folder, config, environment)).toContain(counts);
  },
);

it('the pod writes where the image has its volume, as the user of the image', async () => {
  const { text } = await rendered({});
  expect(text).toContain(`mountPath: ${lastInstruction('VOLUME')} }`);
  expect(text).toContain(`runAsUser: ${lastInstruction('USER')}\n`);
  expect(text).toContain(`directory: ${lastInstruction('VOLUME')}/state\n`);
});
