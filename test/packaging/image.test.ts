import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { commandOf, instructions } from '../support/dockerfile.ts';
import { freePort, RealProcess, run } from '../support/real-process.ts';

const root = new URL('../..', import.meta.url).pathname;
const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n');

it('hadolint finds nothing wrong with the Dockerfile', async () => {
  expect(await run('hadolint', ['--failure-threshold', 'style', join(root, 'Dockerfile')])).toBe('');
});

it('the steps of the Dockerfile, run by hand in empty folders, make a gateway that runs and is healthy', async () => {
  const [context, build, image] = [emptyFolder('context'), emptyFolder('build'), emptyFolder('image')];
  cpSync(root, context, { recursive: true, filter: path => !ignored.includes(path.slice(root.length)) });
  const from = instructions.findLastIndex(line => line.startsWith('FROM '));
  for (const line of instructions.slice(0, from)) await buildStep(line, context, build);
  for (const line of instructions.slice(from)) imageStep(line, build, image);
  expect(existsSync(join(image, 'opt/tidegate/node_modules/typescript'))).toBe(false);

  const [port, adminPort] = [await freePort(), await freePort()];
  const file = join(image, 'tidegate.yaml');
  writeFileSync(file, JSON.stringify({ listen: { host: '0.0.0.0', port }, admin: { port: adminPort } }));
  chmodSync(file, 0o444);
  const [program = '', ...args] = [...commandOf('ENTRYPOINT'), ...commandOf('CMD')].map(argument =>
    argument.replace(/^\/opt\//, `${image}/opt/`).replace('/etc/tidegate/tidegate.yaml', file),
  );
  const gateway = new RealProcess(program, args, { cwd: image });
  try {
    await gateway.answers(`http://127.0.0.1:${adminPort}/readyz`);
    const [health = '', ...question] = commandOf('HEALTHCHECK');
    await run(health, question, { environment: { TIDEGATE_ADMIN: `127.0.0.1:${adminPort}` } });
    expect((await fetch(`http://127.0.0.1:${port}/photos/cat.jpg`)).status).toBe(404);
  } finally {
    expect(await gateway.stop()).toBe(0);
    for (const folder of [context, build, image]) rmSync(folder, { recursive: true, force: true });
  }
});

function emptyFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `tidegate-${name}-`));
}

/** An instruction of the stage that builds: its folder is the working directory. */
async function buildStep(line: string, context: string, build: string): Promise<void> {
  const [name, ...words] = line.split(/\s+/);
  if (name === 'RUN')
    await run('sh', ['-c', line.slice('RUN '.length)], { cwd: build, ownEnvironment: true });
  if (name !== 'COPY') return;
  const target = words.at(-1) ?? '';
  for (const source of words.slice(0, -1)) {
    const path = target.endsWith('/') ? join(target, basename(source)) : target;
    cpSync(join(context, source), join(build, path), { recursive: true });
  }
}

/** What the image takes of the stage before; users and links are the engine's to make. */
function imageStep(line: string, build: string, image: string): void {
  const [, source, target] = /^COPY --from=build \/build\/(\S+) (\S+)$/.exec(line) ?? [];
  if (source === undefined || target === undefined) return;
  cpSync(join(build, source), join(image, target), { recursive: true });
}
