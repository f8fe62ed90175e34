import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { freePort, RealProcess, run } from '../support/real-process.ts';

const root = new URL('../..', import.meta.url).pathname;
const command = join(root, 'src/start.js');
const unit = readFileSync(join(root, 'config/systemd/tidegate.service'), 'utf8');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-unit-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The unit, in a file of its name, with a command that is there: systemd reports one that is missing. */
function unitFile(): string {
  const file = join(folder, 'tidegate.service');
  writeFileSync(file, unit.replace('/usr/local/bin/tidegate', process.execPath));
  return file;
}

it('systemd finds nothing wrong with the unit', async () => {
  expect(await run('systemd-analyze', ['verify', '--man=no', unitFile()])).toBe('');
});

it('systemd counts the service as well confined', async () => {
  const judged = await run('systemd-analyze', [
    ...['security', '--no-pager', '--offline=true', '--threshold=20', unitFile()],
  ]);
  expect(judged).toMatch(/Overall exposure level for tidegate\.service: [01]\.\d OK/);
});

/** Prints each message that comes to the socket of a service manager. */
const listener = `
import socket, sys
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.bind(sys.argv[1])
print("bound", flush=True)
while True: print(manager.recv(4096).decode(), flush=True)
`;

it('a service manager is told READY=1 once requests are served', async () => {
  const socket = join(folder, 'notify');
  const manager = new RealProcess('python3', ['-c', listener, socket]);
  const [port, adminPort] = [await freePort(), await freePort()];
  const environment = {
    NOTIFY_SOCKET: socket,
    TIDEGATE_PORT: String(port),
    TIDEGATE_ADMIN_PORT: String(adminPort),
  };
  await vi.waitFor(() => expect(manager.output).toContain('bound'), 60_000);
  const gateway = new RealProcess(process.execPath, [command], { cwd: folder, environment });
  try {
    await vi.waitFor(() => expect(manager.output).toContain('READY=1'), 100_000);
    expect((await fetch(`http://127.0.0.1:${port}/sample/hello.txt`)).status).toBe(200);
    expect(gateway.output).not.toContain('was not told of readiness');
  } finally {
    await gateway.stop();
    await manager.stop();
  }
});
