import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signedQuestion } from '../support/conformance/question.ts';
import { rawRequest } from '../support/raw-request.ts';
import { freePort, RealProcess } from '../support/real-process.ts';
import { holdsAt, patternContent } from '../support/stand-in/content.ts';
import { StandInStore } from '../support/stand-in-store.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;
const crash = new URL('../fixtures/crash-on-request.ts', import.meta.url).href;

let directory: string;
const processes: RealProcess[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-process-'));
});

afterEach(async () => {
  for (const each of processes.splice(0)) await each.stop();
  rmSync(directory, { recursive: true, force: true });
});

/** Runs a command to its end. */
function tidegate(args: readonly string[], environment: Record<string, string> = {}) {
  const run = spawnSync(process.execPath, [main, ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment },
    encoding: 'utf8',
  });
  return { code: run.status, out: run.stdout, error: run.stderr };
}

function configFile(text: string, where = directory): string {
  const file = join(where, 'gateway.yaml');
  writeFileSync(file, text);
  return file;
}

/** Starts the gateway on free ports and waits until it is ready; it is stopped after the test. */
async function startGateway(
  keys = '',
  nodeArguments: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
) {
  const gateway = await startIn(directory, keys, nodeArguments, environment);
  processes.push(gateway.started);
  return gateway;
}

async function startIn(
  where: string,
  keys: string,
  nodeArguments: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
) {
  const [port, adminPort] = [await freePort(), await freePort()];
  const file = configFile(`{ listen: { port: ${port} }, admin: { port: ${adminPort} }, ${keys} }`, where);
  const command = [...nodeArguments, main, '-c', file];
  const started = new RealProcess(process.execPath, command, { cwd: where, environment });
  await started.answers(`http://127.0.0.1:${adminPort}/readyz`);
  return { started, port, adminPort, file, admin: `http://127.0.0.1:${adminPort}` };
}

/** What each `curl` line of a text asks for. */
function curlLines(text: string) {
  const lines = text.replaceAll('\\\n', ' ').split('\n');
  return lines.flatMap(line => {
    const [url] = /http:[^" ]+/.exec(line) ?? [];
    if (!line.startsWith('  curl ') || !url) return [];
    const headers = Array.from(
      line.matchAll(/-H ["']([^:]+): ([^"']+)["']/g),
      ([, name = '', value = '']) => [name, value],
    );
    const range = /-r (\S+)/.exec(line)?.[1];
    const body = / -d '([^']+)'/.exec(line)?.[1];
    return [
      {
        url,
        headers: { ...Object.fromEntries(headers), ...(range ? { range: `bytes=${range}` } : {}) },
        ...(body && { method: 'POST', body }),
      },
    ];
  });
}

async function metric(admin: string, name: string): Promise<number> {
  const text = await (await fetch(`${admin}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]);
}

it('a command ends when a pipe has taken all that it says, or nobody reads it any more', () => {
  const buckets = Array.from({ length: 4_000 }, (_, at) => `bucket-${at}: { backend: none, access: public }`);
  const file = configFile(`{ backends: {}, buckets: { ${buckets.join(', ')} } }`);
  const check = `"$0" "$1" check -c "$2" 2>&1 >/dev/null`;
  const piped = (reader: string) =>
    spawnSync('sh', ['-c', `{ ${check}; echo "code $?"; } | ${reader}`, process.execPath, main, file], {
      encoding: 'utf8',
    }).stdout;
  const said = piped('cat');
  expect(said.match(/bucket-/g)).toHaveLength(4_000);
  expect(said).toMatch(/\ncode 2\n$/);
  expect(piped('head -c 10')).toHaveLength(10);
});

describe('exit code 2', () => {
  it.each([
    [
      'an unknown key',
      ['-c'],
      'lisen: {}',
      'lisen is an unknown key and holds a map of nothing; the known keys are listen, ',
    ],
    [
      'a part that is not built',
      ['serve', '--config'],
      'cache: { disk: {} }',
      'cache.disk asks for the disk tier, which is not built yet',
    ],
    [
      'a wrong value',
      ['check', '-c'],
      'workers: none',
      'workers holds "none"; expected auto, or a whole number from 1 to 256',
    ],
    [
      'a cache that the machine has no room for',
      ['-c'],
      'cache: { memory: { size: 4TiB } }',
      'cache.memory.size does not fit: the cache of 4194304MiB and ',
    ],
    [
      'a cache that a start would have no room for',
      ['check', '-c'],
      'cache: { memory: { size: 4TiB } }',
      'cache.memory.size does not fit: the cache of 4194304MiB and ',
    ],
  ])('for %s, named with what it holds and what was expected', (_, command, yaml, message) => {
    const file = configFile(yaml);
    const { code, error, out } = tidegate([...command, file]);
    expect(code).toBe(2);
    expect(error).toContain(`tidegate: ${file} cannot be used:\n  ${message}`);
    expect(out).toBe('');
  });

  it('for a file that is not there, a command that is not there, and one that is not told enough', () => {
    expect(tidegate(['-c', 'nowhere.yaml'])).toMatchObject({ code: 2 });
    expect(tidegate(['fly'])).toMatchObject({ code: 2 });
    expect(tidegate(['--nonsense'])).toMatchObject({ code: 2 });
    expect(tidegate(['warm', 'photos'])).toMatchObject({
      code: 2,
      error: 'tidegate: warm takes BUCKET KEY…, BUCKET --prefix PREFIX or BUCKET --manifest FILE\n',
    });
  });
});

describe('exit code 0', () => {
  it('for help, version and a configuration that is fine', () => {
    expect(tidegate(['--version'])).toMatchObject({ code: 0, out: '0.1.0\n' });
    expect(tidegate(['--help']).out).toContain('Usage: tidegate');
    const backends = '{ demo: { type: embedded, directory: ./data } }';
    const file = configFile(
      `{ backends: ${backends}, buckets: { photos: { backend: demo, access: public } } }`,
    );
    const fine = { code: 0, out: `${file} is fine: 1 bucket, 1 backend\n` };
    expect(tidegate(['check', '-c', file])).toMatchObject(fine);
    expect(tidegate(['check'], { TIDEGATE_CONFIG: file })).toMatchObject(fine);
  });
});

describe('exit code 1, and one clear line', () => {
  it('when the port is in use', async () => {
    const other = createServer();
    const { promise, resolve } = Promise.withResolvers<void>();
    other.listen(0, '127.0.0.1', resolve);
    await promise;
    const address = other.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { code, error } = tidegate(['-c', configFile(`{ listen: { port: ${port} }, admin: { port: 0 } }`)]);
    other.close();
    expect(code).toBe(1);
    expect(error).toBe(
      `tidegate: cannot listen on 127.0.0.1:${port}: the port is in use, perhaps by another instance (listen.port)\n`,
    );
  });
});

it('a host that no machine has ends with exit code 2, and the key that holds it', () => {
  const { code, error } = tidegate(['-c', configFile('{ listen: { host: 999.1.1.1, port: 0 } }')]);
  expect(code).toBe(2);
  expect(error).toContain('listen.host holds "999.1.1.1"; expected an IP address or a host name');
});

describe('a gateway that runs', () => {
  let home: string;
  let gateway: Awaited<ReturnType<typeof startIn>>;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'tidegate-running-'));
    gateway = await startIn(
      home,
      'workers: 2, backends: { own: { type: embedded, directory: ./own } }, ' +
        'buckets: { photos: { backend: own, access: public, anonymous: [{ actions: [HeadObject] }] } }',
    );
  });

  afterAll(async () => {
    await gateway.started.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('has logged once what `check` would warn of, and no check of blocks', async () => {
    const { started } = gateway;
    await expect.poll(() => started.output).toContain('"msg":"ready"');
    const warned = started.output.split('\n').filter(line => line.includes('holds \\"HeadObject\\"'));
    expect(warned.map(line => JSON.parse(line))).toMatchObject([{ level: 'warn', thread: 'supervisor' }]);
    expect(started.output).not.toContain('blocks are checked');
  });

  it('goes on when another instance is started, which ends with exit code 1 and one clear line', async () => {
    const { port, admin, file } = gateway;
    expect(tidegate(['-c', file])).toMatchObject({
      code: 1,
      error: `tidegate: cannot listen on 127.0.0.1:${port}: the port is in use, perhaps by another instance (listen.port)\n`,
    });
    await expect.poll(async () => (await fetch(`${admin}/readyz`)).status).toBe(200);
  });

  it('shows the whole process in one scrape, also as OpenMetrics', async () => {
    const { admin } = gateway;
    const text = await (await fetch(`${admin}/metrics`)).text();
    expect(text.match(/^tidegate_build_info\{version="0\.1\.0"\} 1$/gm)).toHaveLength(1);
    expect(text).toMatch(/^nodejs_heap_size_used_bytes \d+/m);
    expect(text).toMatch(/^tidegate_cache_object_bytes (?:\d|Nan)/im);
    for (const kind of ['blocks', 'ghosts', 'invalidations'])
      expect(text).toMatch(new RegExp(`^tidegate_cache_memory_bytes\\{kind="${kind}"\\} \\d+$`, 'm'));
    const open = await fetch(`${admin}/metrics`, { headers: { accept: 'application/openmetrics-text' } });
    expect(open.headers.get('content-type')).toBe(
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
    );
    expect(await open.text()).toMatch(/# EOF\n$/);
  });

  it('has all metrics that the rules and the dashboard name', async () => {
    const text = await (await fetch(`${gateway.admin}/metrics`)).text();
    const families = Array.from(text.matchAll(/^# TYPE (\S+) (\S+)$/gm), ([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    );
    const known = new Set(families.flat());
    for (const file of ['prometheus/tidegate.rules.yaml', 'grafana/tidegate.json']) {
      const content = readFileSync(new URL(`../../config/${file}`, import.meta.url), 'utf8');
      const named = content.match(/(?<![:\w])(?:tidegate|process|nodejs)_[a-z0-9_]+(?=[[{)])/g) ?? [];
      expect(named.length).toBeGreaterThan(10);
      for (const name of named) expect(known, file).toContain(name);
    }
  });

  it('ends with 0 on SIGTERM when it is idle', async () => {
    expect(await gateway.started.stop()).toBe(0);
  });
});

it('SIGTERM lets a running response finish, takes no new connection, then ends with 0', async () => {
  const store = await StandInStore.start();
  store.put('photos', 'cat', 'meow');
  const { started, port } = await startGateway(`
    backends: { main: { type: s3, endpoint: "${store.url}" } },
    buckets: { photos: { backend: main, access: public } }`);
  const gate = store.hold();
  const running = fetch(`http://127.0.0.1:${port}/photos/cat`);
  await store.log.arrival(1);
  const ended = started.stop();
  const refused = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => false,
      () => true,
    );
  await expect.poll(refused).toBe(true);
  gate.release();
  expect(await (await running).text()).toBe('meow');
  expect(await ended).toBe(0);
  await store.close();
});

it('SIGTERM with a delay: not ready at once, everything served until it is over, then no new connection, then 0', async () => {
  const store = await StandInStore.start();
  store.put('photos', 'cat', 'meow');
  const { started, port, admin } = await startGateway(`
    shutdown: { delay: 1s, limit: 20s },
    backends: { main: { type: s3, endpoint: "${store.url}" } },
    buckets: { photos: { backend: main, access: public } }`);
  const ended = started.stop();
  const readiness = async () => {
    const response = await fetch(`${admin}/readyz`);
    return { status: response.status, body: await response.json() };
  };
  await expect.poll(readiness).toEqual({
    status: 503,
    body: { status: 'not ready', reasons: ['the gateway is draining'] },
  });
  // on a connection of its own
  const during = await rawRequest(`http://127.0.0.1:${port}`, { path: '/photos/cat' });
  expect(during).toMatchObject({ status: 200, text: 'meow' });
  expect(started.output).not.toContain('draining: no new connections');
  expect(await ended).toBe(0);
  expect(started.output).toContain('draining: no new connections');
  await store.close();
});

it('SIGTERM lets a button press that is on its way be answered, and the admin port answers meanwhile', async () => {
  const callbackPort = await freePort();
  const { started, admin } = await startGateway(`
    alerts: { callbacks: { port: ${callbackPort}, url: "http://127.0.0.1:${callbackPort}",
      token: { keys: "http://127.0.0.1:1/keys", issuer: "http://127.0.0.1:1", subjects: { s: Ada }, appIds: [a] } } }`);
  const press = connect(callbackPort, '127.0.0.1');
  const answer = text(press);
  await once(press, 'connect');
  press.write('POST /callbacks/cards/actions HTTP/1.1\r\n');
  const ended = started.stop();
  const isOpen = async () => {
    const socket = connect(callbackPort, '127.0.0.1').on('error', () => undefined);
    const isConnected = once(socket, 'connect').then(
      () => true,
      () => false,
    );
    return isConnected.finally(() => socket.destroy());
  };
  await expect.poll(isOpen, { interval: 20 }).toBe(false);
  expect((await fetch(`${admin}/readyz`)).status).toBe(503);
  press.write('host: x\r\ncontent-length: 0\r\n\r\n');
  expect(await answer).toMatch(/^HTTP\/1\.1 4\d\d .*connection: close/is);
  expect(await ended).toBe(0);
});

it('a second signal ends a gateway at once that waits for its delay', async () => {
  const { started, admin } = await startGateway('shutdown: { delay: 5m }');
  process.kill(started.pid, 'SIGTERM');
  await expect.poll(async () => (await fetch(`${admin}/readyz`)).status).toBe(503);
  const tellAgain = () => {
    if (!started.output.includes('second stop signal')) process.kill(started.pid, 'SIGTERM');
    return started.output;
  };
  // at this distance the second one is no echo of the first
  await expect.poll(tellAgain, { interval: 300 }).toContain('second stop signal');
  expect(await started.stop()).toBe(1);
});

it('workers that keep dying together leave the port for moments alone: 503 until one is up', async () => {
  const { port, admin, started } = await startGateway('workers: 2', ['--import', crash]);
  const origin = `http://127.0.0.1:${port}`;
  const kill = () => fetch(`${origin}/__crash`).catch(() => undefined);
  const statuses: Record<string, number> = {};
  const endMs = performance.now() + 4_000;
  const limitMs = endMs + 60_000;
  let answeredMs = performance.now();
  let longestRefusedMs = 0;
  const restarts = () => metric(admin, 'tidegate_worker_restarts_total');
  // a busy machine takes longer for each of them
  while (performance.now() < endMs || (performance.now() < limitMs && (await restarts()) <= 2)) {
    await Promise.all([kill(), kill(), kill(), kill()]);
    for (let asked = 0; asked < 20; asked++) {
      const answer = await fetch(`${origin}/nothing/there`, { headers: { connection: 'close' } }).then(
        async response => {
          await response.body?.cancel();
          return `${response.status} ${response.headers.get('retry-after')}`;
        },
        error => String(error.cause?.code),
      );
      statuses[answer] = (statuses[answer] ?? 0) + 1;
      if (answer === 'ECONNREFUSED')
        longestRefusedMs = Math.max(longestRefusedMs, performance.now() - answeredMs);
      else answeredMs = performance.now();
    }
  }
  expect(await restarts(), `${JSON.stringify(statuses)}\n${started.output}`).toBeGreaterThan(2);
  expect(statuses['503 1'], JSON.stringify(statuses)).toBeGreaterThan(0);
  // it was ten seconds while restarts were put off and nobody stood in
  expect(longestRefusedMs, JSON.stringify(statuses)).toBeLessThan(2_000);
  await started.answers(origin);
});

it('at the limit of open files: connections wait for a place and are answered, the admin port answers, the log says so', async () => {
  const store = await StandInStore.start();
  store.put('photos', 'cat', 'meow');
  const [port, adminPort] = [await freePort(), await freePort()];
  const file = configFile(`{ listen: { port: ${port} }, admin: { port: ${adminPort} },
    backends: { main: { type: s3, endpoint: "${store.url}", connections: 16 } },
    buckets: { photos: { backend: main, access: public } } }`);
  const command = ['-c', 'ulimit -n 256; exec "$0" "$@"', process.execPath, main, '-c', file];
  const started = new RealProcess('bash', command, { cwd: directory });
  processes.push(started);
  const admin = `http://127.0.0.1:${adminPort}`;
  await started.answers(`${admin}/readyz`);
  const sockets: Socket[] = [];
  const statuses: string[] = [];
  for (let batch = 0; batch < 20; batch++) {
    const fresh = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
    sockets.push(...fresh);
    const heads = fresh.map(async socket => {
      socket.write('GET /photos/cat HTTP/1.1\r\nHost: h\r\n\r\n');
      const [head] = await once(socket, 'data');
      socket.on('error', () => undefined);
      return String(head).slice(9, 12);
    });
    statuses.push(...(await Promise.all(heads)));
  }
  const scrape = await fetch(`${admin}/metrics`);
  expect(scrape.status).toBe(200);
  await scrape.text();
  for (const socket of sockets) socket.destroy();
  expect(new Set(statuses)).toEqual(new Set(['200']));
  await expect.poll(() => started.output).toContain('raise it with ulimit -n');
  const after = await rawRequest(`http://127.0.0.1:${port}`, { path: '/photos/cat' });
  expect(after).toMatchObject({ status: 200, text: 'meow' });
  expect(await started.stop()).toBe(0);
  await store.close();
});

it.each([
  ['silent connections', '', undefined],
  ['heads that drip', 'GET /photos/cat HTTP/1.1\r\nHost: ', 'h'],
  ['connections kept alive', 'GET /photos/cat HTTP/1.1\r\nHost: h\r\n\r\n', undefined],
  ['bodies that drip', 'PUT /photos/dog HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n', 'x'],
])(
  'at the limit of open files: an address that holds all with %s keeps no other one from being served',
  async (_, sent, more) => {
    const store = await StandInStore.start();
    store.put('photos', 'cat', 'meow');
    const [port, adminPort] = [await freePort(), await freePort()];
    const file = configFile(`{ listen: { port: ${port} }, admin: { port: ${adminPort} },
    backends: { main: { type: s3, endpoint: "${store.url}", connections: 16 } },
    buckets: { photos: { backend: main, access: public } } }`);
    const command = ['-c', 'ulimit -n 256; exec "$0" "$@"', process.execPath, main, '-c', file];
    const started = new RealProcess('bash', command, { cwd: directory });
    processes.push(started);
    await started.answers(`http://127.0.0.1:${adminPort}/readyz`);
    let isOver = false;
    const sockets = new Set<Socket>();
    const hold = () => {
      if (isOver) return;
      const socket = connect(port, '127.0.0.1');
      sockets.add(socket);
      socket.on('connect', () => socket.write(sent)).on('error', () => undefined);
      // whoever is closed comes again at once
      socket.resume().on('close', () => {
        sockets.delete(socket);
        setTimeout(hold, 10);
      });
    };
    for (let count = 0; count < 200; count++) hold();
    const drip = setInterval(() => {
      for (const socket of sockets) if (more !== undefined) socket.write(more);
    }, 100);
    await expect.poll(() => started.output).toContain('raise it with ulimit -n');
    const read = async () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
      socket.on('error', () => undefined);
      socket.write('GET /photos/cat HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
      return (await text(socket)).slice(9, 12);
    };
    const statuses: string[] = [];
    for (let count = 0; count < 5; count++) statuses.push(await read());
    expect(statuses).toEqual(Array.from({ length: 5 }, () => '200'));
    isOver = true;
    clearInterval(drip);
    for (const socket of sockets) socket.destroy();
    expect(await started.stop()).toBe(0);
    await store.close();
  },
);

it('replaces a worker that crashed, and counts it', async () => {
  const { port, admin, started } = await startGateway('', ['--import', crash]);
  await fetch(`http://127.0.0.1:${port}/__crash`).catch(() => undefined);
  await expect.poll(() => metric(admin, 'tidegate_worker_restarts_total')).toBe(1);
  await started.answers(`http://127.0.0.1:${port}/`);
  expect(started.output).toContain('planted crash');
});

it('checks blocks where the environment asks for it, and says so', async () => {
  const store = await StandInStore.start();
  const content = patternContent(300_000);
  store.put('b', 'k', content);
  const keys = `
    backends: { main: { type: s3, endpoint: "${store.url}" } },
    buckets: { b: { backend: main, access: public } }`;
  const { started, port } = await startGateway(keys, [], { TIDEGATE_CHECK_BLOCKS: '1' });
  for (let time = 0; time < 2; time++) {
    const answer = await fetch(`http://127.0.0.1:${port}/b/k`);
    expect(holdsAt(content, 0, await answer.bytes())).toBe(true);
  }
  expect(started.output).toContain('blocks are checked');
  await store.close();
});

it('a start without a configuration has samples, and says what to try', async () => {
  const [port, adminPort] = [await freePort(), await freePort()];
  const environment = { TIDEGATE_PORT: String(port), TIDEGATE_ADMIN_PORT: String(adminPort) };
  const started = new RealProcess(process.execPath, [main], { cwd: directory, environment });
  processes.push(started);
  await started.answers(`http://127.0.0.1:${adminPort}/readyz`);
  await expect.poll(() => started.output).toContain('Ctrl-C');
  const tried = curlLines(started.output);
  expect(tried.map(({ method = 'GET' }) => method)).toEqual(['GET', 'GET', 'GET', 'GET', 'GET', 'POST']);
  for (const { url, ...init } of tried) expect((await fetch(url, init)).ok, url).toBe(true);
  const status = await (await fetch(`http://127.0.0.1:${adminPort}/api/status`)).json();
  expect(status).toMatchObject({
    ready: true,
    workers: [{ index: 0, state: 'up' }],
    buckets: [{ name: 'sample', backend: 'demo', access: 'public' }],
  });
  // a second one is told what to change
  const other = { TIDEGATE_PORT: '0', TIDEGATE_ADMIN_PORT: '0' };
  expect(tidegate([], { ...other, TIDEGATE_PORT: String(port) }).error).toContain(
    `cannot listen on 127.0.0.1:${port}: the port is in use, perhaps by another instance (listen.port, or TIDEGATE_PORT)`,
  );
  const { code, error } = tidegate([], other);
  expect({ code, error }).toEqual({
    code: 1,
    error: expect.stringMatching(
      /^tidegate: backends\.demo\.directory, or TIDEGATE_DATA: the store's catalogue \S+ is in use by another process\n$/,
    ),
  });
  const data = { TIDEGATE_DATA: './other', TIDEGATE_ADMIN_PORT: String(adminPort), TIDEGATE_PORT: '0' };
  expect(tidegate([], data).error).toContain('another instance (admin.port, or TIDEGATE_ADMIN_PORT)');
  expect(await started.stop()).toBe(0);
});

it.each([
  ['is on a full disk', 'exec "$0" "$@" > /dev/full'],
  ['has nobody who reads it', 'exec "$0" "$@" > >(exec true)'],
  ['is closed', 'exec "$0" "$@" >&-'],
])('serves on when its output %s', async (_, script) => {
  const store = await StandInStore.start();
  store.put('photos', 'cat', 'meow');
  const [port, adminPort] = [await freePort(), await freePort()];
  const file = configFile(`{ listen: { port: ${port} }, admin: { port: ${adminPort} },
    backends: { main: { type: s3, endpoint: "${store.url}" } },
    buckets: { photos: { backend: main, access: public } }, log: { access: true } }`);
  const command = ['-c', script, process.execPath, main, '-c', file];
  const started = new RealProcess('bash', command, { cwd: directory });
  processes.push(started);
  await started.answers(`http://127.0.0.1:${adminPort}/readyz`);
  for (let read = 0; read < 50; read++) {
    const answer = await fetch(`http://127.0.0.1:${port}/photos/cat`);
    expect(answer.status).toBe(200);
    await answer.text();
  }
  await expect.poll(async () => (await fetch(`http://127.0.0.1:${adminPort}/readyz`)).status).toBe(200);
  expect(await started.stop()).toBe(0);
  await store.close();
});

it('ends when it is told to, though nobody reads the pipe that its output goes to', async () => {
  const pipe = join(directory, 'pipe');
  spawnSync('mkfifo', [pipe]);
  const end = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  try {
    expect(() => {
      for (;;) writeSync(end, 'x'.repeat(4096));
    }).toThrow('EAGAIN');
    const [port, adminPort] = [await freePort(), await freePort()];
    const file = configFile(`{ listen: { port: ${port} }, admin: { port: ${adminPort} } }`);
    const script = `exec "$0" "$@" > ${pipe}`;
    const started = new RealProcess('bash', ['-c', script, process.execPath, main, '-c', file], {
      cwd: directory,
    });
    processes.push(started);
    await started.answers(`http://127.0.0.1:${adminPort}/readyz`);
    expect(await started.stop()).toBe(0);
  } finally {
    closeSync(end);
  }
});

it("row 122: signatures are for the region of the bucket's backend, or of its access point", async () => {
  const store = await StandInStore.start();
  store.put('photos', 'k', 'content');
  const point = 'arn:aws:s3:eu-north-1:123456789012:accesspoint/p';
  const { port } = await startGateway(`
    backends: { main: { type: s3, endpoint: "http://localhost:${store.port}", region: eu-west-1 } },
    buckets: { photos: { backend: main, access: verify }, point: { backend: main, bucket: "${point}", access: verify } },
    clients: [{ accessKeyId: reader, secretAccessKey: secret, allow: [{ buckets: ["*"], keys: ["**"], actions: [GetObject] }] }]`);
  const origin = `http://127.0.0.1:${port}`;
  const as = { accessKeyId: 'reader', secretAccessKey: 'secret' };
  const ask = (path: string, region: string) =>
    rawRequest(origin, signedQuestion({ path, as }, { origin, prefix: 'x-amz-', nowMs: Date.now(), region }));
  expect(await ask('/photos/k', 'eu-west-1')).toMatchObject({ status: 200, text: 'content' });
  for (const [path, region] of [
    ['/photos/k', 'eu-west-1'],
    ['/point/k', 'eu-north-1'],
  ] as const) {
    const { status, text } = await ask(path, 'us-east-1');
    expect(status).toBe(400);
    expect(text).toContain(`the region 'us-east-1' is wrong; expecting '${region}'`);
    expect(text).toContain(`<Region>${region}</Region>`);
  }
  await store.close();
});
