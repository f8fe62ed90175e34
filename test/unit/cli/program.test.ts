import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { alertNames } from '../../../src/alerts/rules/rule-description.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { runProgram, type ServeRequest } from '../../../src/cli/program.ts';
import type { StoreAloneOptions } from '../../../src/cli/store-command.ts';
import { welcome } from '../../../src/cli/welcome.ts';

/** Runs a command line; `served` is what it would have started. */
async function run(args: readonly string[], environment: Record<string, string> = {}, failure?: Error) {
  const out: string[] = [];
  const errors: string[] = [];
  const served: ServeRequest[] = [];
  const stores: StoreAloneOptions[] = [];
  const end = await runProgram(args, {
    version: '1.2.3',
    environment,
    serve: async request => {
      if (failure) throw failure;
      served.push(request);
    },
    serveStore: async request => void stores.push(request),
    clock: systemClock,
    signals: new EventEmitter(),
    build: async () => {
      if (failure) throw failure;
    },
    connect: async () => ({ backends: new Map(), queue: [] }),
    print: line => void out.push(line),
    printError: line => void errors.push(line),
  });
  return { end, out: out.join('\n'), errors: errors.join('\n'), served, stores };
}

const ended = (exitCode: number) => ({ kind: 'ended', exitCode });

it('serves without a word, and keeps the process for what runs', async () => {
  const { end, served } = await run([]);
  expect(end).toEqual({ kind: 'running' });
  expect(served[0]?.file).toBeUndefined();
  expect(served[0]?.config.buckets).toHaveProperty('sample');
});

it('takes the configuration from -c, before TIDEGATE_CONFIG', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tidegate-cli-'));
  const [one, two] = [join(directory, 'one.yaml'), join(directory, 'two.yaml')];
  writeFileSync(one, 'workers: 2');
  writeFileSync(two, 'workers: 3');
  expect((await run(['serve', '-c', one], { TIDEGATE_CONFIG: two })).served[0]?.config.workers).toBe(2);
  expect((await run([], { TIDEGATE_CONFIG: two })).served[0]).toMatchObject({
    file: two,
    config: { workers: 3 },
  });
  await rm(directory, { recursive: true });
});

it('ends with 1 and the reason when the start fails', async () => {
  const { end, errors } = await run([], {}, new Error('cannot listen on 127.0.0.1:80: taken'));
  expect(end).toEqual(ended(1));
  expect(errors).toBe('tidegate: cannot listen on 127.0.0.1:80: taken');
});

it.each([
  [['--version'], '1.2.3'],
  [['--help'], 'Usage: tidegate'],
  [['purge', '--help'], '--prefix <prefix>'],
])('answers %j with 0', async (args, text) => {
  const { end, out } = await run(args);
  expect(end).toEqual(ended(0));
  expect(out).toContain(text);
});

it('what is not built is listed nowhere', async () => {
  const help = (await run(['--help'])).out;
  expect(help).not.toContain('not built');
  const [listed] = help.split('Commands:')[1]?.split('Examples:') ?? [];
  const names = Array.from(listed?.matchAll(/^ {2}(\w+)/gm) ?? [], ([, name]) => name);
  expect((await run(['fly'])).errors).toContain(`the commands are ${names.join(', ')}`);
  expect((await run(['completion', 'bash'])).out).toContain(`words="${names.join(' ')}"`);
});

it.each([
  [['fly'], 'unknown command "fly"; the commands are serve, check'],
  [['chek'], 'unknown command "chek"; did you mean check?'],
  [['help', 'exlpain'], 'unknown command "exlpain"; did you mean explain?'],
  [['gateway.yaml'], 'unknown command "gateway.yaml"; a configuration is given with --config FILE'],
  [['\u009bserve'], 'unknown command "\\u009bserve"; did you mean serve?'],
  [['serve', 'chek'], 'tidegate: too many arguments'],
  [['serve', 'gateway.yaml'], 'got 1: gateway.yaml; a configuration is given with --config FILE'],
  [['check', 'gateway.yml'], 'got 1: gateway.yml; a configuration is given with --config FILE'],
  [['check', '--confg', 'gateway.yaml'], "tidegate: unknown option '--confg'\n(Did you mean --config?)"],
  [['check'], 'check needs a file'],
  [['purge'], 'purge takes BUCKET, BUCKET KEY'],
  [['purge', 'b', 'k', '--prefix', 'p'], 'purge takes BUCKET, BUCKET KEY'],
  [['purge', 'b', '--tag', 't'], 'purge takes BUCKET, BUCKET KEY'],
  [['explain', 'b'], "missing required argument 'key'"],
  [['explain', 'b', 'k', '--admin', 'nowhere'], '--admin nowhere is not an http address'],
  [['explain', 'b', 'k', '--admin', '127.0.0.1'], '--admin 127.0.0.1 is not an http address'],
  [['explain', 'b', 'k', '--admin', '::1:9090'], 'such as 127.0.0.1:9090, [::1]:9090'],
  [['explain', 'b', 'k', '--admin', 'localhost:99999'], 'expected host:port'],
  [['explain', 'b', 'k', '--admin', 'localhost:0'], 'expected host:port'],
  [['explain', 'b', 'k', '--admin', 'ftp://localhost:9090'], 'expected host:port'],
  [['explain', 'b', 'k', '--admin', 'http://localhost:9090/metrics'], 'expected host:port'],
  [['explain', 'b', 'k', '--admin', 'http://me:hunter22@localhost:9090'], '--admin with "@" is not'],
  [['card', 'fire'], 'fire is not a rule; the rules are backendUnreachable'],
  [['card', 'backendErrors', '--form', 'fax'], "argument 'fax' is invalid"],
  [['sign', 'http://x/y'], 'sign needs AWS_ACCESS_KEY_ID'],
  [['warm', 'b', 'k', '--prefix', 'x'], 'warm takes BUCKET KEY'],
  [['warm', 'b'], 'warm takes BUCKET KEY'],
  [['warm', 'b', '--manifest', '/nowhere/keys'], '--manifest /nowhere/keys cannot be read'],
  [['warm', 'b', 'k', '--rate', 'x'], 'It takes a whole number from 0 to 1000000'],
  [['warm', 'b', 'k', '--concurrency', '0'], 'It takes a whole number from 1 to 64'],
  [['warm', 'b', 'k', '--concurrency', '65'], 'It takes a whole number from 1 to 64'],
])('refuses %j with 2', async (args, text) => {
  const { end, errors } = await run(args);
  expect(end).toEqual(ended(2));
  expect(errors).toContain(text);
});

it.each([
  ['--directory', '/dev/null', '--directory /dev/null is a file, or below one'],
  // no resolver is asked for it
  ['--host', 'a..b', '--host a..b is not known'],
])('refuses a store alone with %s %s', async (option, value, text) => {
  const keys = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'hidden' };
  const { end, errors, stores } = await run(
    ['store', '--directory', import.meta.dirname, option, value],
    keys,
  );
  expect({ end, errors, stores }).toMatchObject({ end: ended(2), stores: [] });
  expect(errors).toContain(text);
});

it.each(['serve', 'check'])(
  'refuses a name to listen at that is not known, with the key (%s)',
  async command => {
    const directory = await mkdtemp(join(tmpdir(), 'tidegate-cli-'));
    const file = join(directory, 'tidegate.yaml');
    writeFileSync(file, 'listen: { host: a..b }');
    const { end, errors, served } = await run([command, '-c', file]);
    expect({ end, served }).toEqual({ end: ended(2), served: [] });
    expect(errors).toContain(`${file} cannot be used:\n  listen.host is a name that is not known; expected`);
    await rm(directory, { recursive: true });
  },
);

it('refuses to call a file fine whose access log cannot be written', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tidegate-cli-'));
  const file = join(directory, 'tidegate.yaml');
  writeFileSync(file, `log: { access: { file: "${join(directory, 'none/access.log')}" } }`);
  const { end, out, errors } = await run(['check', '-c', file]);
  expect({ end, out }).toEqual({ end: ended(2), out: '' });
  expect(errors).toContain(`${file} cannot be used:\n  log.access.file holds`);
  await rm(directory, { recursive: true });
});

it('names the variable that holds a wrong address, where no option gives one', async () => {
  const wrong = { TIDEGATE_ADMIN: 'localhost' };
  const { end, errors } = await run(['purge', 'b'], wrong);
  expect(end).toEqual(ended(2));
  expect(errors).toMatch(/^tidegate: TIDEGATE_ADMIN localhost is not an http address; expected host:port/);
  expect((await run(['purge', 'b', '--admin', 'nowhere'], wrong)).errors).toContain('--admin nowhere is not');
});

it('checks a file, and warns of a grant that grants nothing without failing; so does a start', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tidegate-cli-'));
  const file = join(directory, 'tidegate.yaml');
  writeFileSync(
    file,
    `backends: { demo: { type: embedded, directory: ./data } }
buckets: { photos: { backend: demo, access: public, anonymous: [{ actions: [HeadObject] }] } }`,
  );
  const { end, out } = await run(['check', '-c', file]);
  expect(end).toEqual(ended(0));
  expect(out.split('\n')).toEqual([
    expect.stringMatching(/^warning: buckets\.photos\.anonymous\[0\]\.actions\[0\] holds "HeadObject": /),
    `${file} can be used, and has 1 warning: 1 bucket, 1 backend`,
  ]);
  const { served } = await run(['serve', '-c', file]);
  expect(served[0]?.warnings).toEqual([expect.stringMatching(/^buckets\.photos\.anonymous\[0\]/)]);
  await rm(directory, { recursive: true });
});

it('refuses a file that no gateway can be built from', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tidegate-cli-'));
  const file = join(directory, 'tidegate.yaml');
  writeFileSync(
    file,
    `backends: { demo: { type: embedded, directory: ./data } }
buckets: { photos: { backend: demo, access: public } }`,
  );
  const { end, out, errors } = await run(['check', '-c', file], {}, new Error('half a byte is left over'));
  expect(end).toEqual(ended(2));
  expect(out).toBe('');
  expect(errors).toBe(`tidegate: ${file} cannot be used:\n  a start would fail: half a byte is left over`);
  await rm(directory, { recursive: true });
});

it.each(alertNames)('prints the card of the rule %s in each form', async rule => {
  for (const form of ['connector', 'adaptive', 'text']) {
    const { end, out } = await run(['card', rule, '--form', form, '--kind', 'resolved']);
    expect(end).toEqual(ended(0));
    expect(JSON.parse(out)).toBeTypeOf('object');
  }
});

it('prints a card with every button, none of them signed', async () => {
  const { out } = await run(['card', 'archivedObjects']);
  const { potentialAction } = JSON.parse(out);
  expect(potentialAction.map(({ name }: { name: string }) => name)).toEqual([
    'Acknowledge',
    'Silence…',
    'Restore sample/archive.bin…',
    'Status page',
  ]);
  expect(potentialAction[0].body).toBe('token=example-acknowledge');
  const { style } = potentialAction[1].inputs[0];
  expect(style, 'the name of the chat client, not of the mail client').toBe('compact');
});

const keys = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'hidden' };

it('signs a URL without touching its path', async () => {
  const { end, out } = await run(
    ['sign', 'http://127.0.0.1:8080/b/a//b/ü?versionId=7', '--expires', '2h'],
    keys,
  );
  expect(end).toEqual(ended(0));
  expect(out).toMatch(/^http:\/\/127\.0\.0\.1:8080\/b\/a\/\/b\/%C3%BC\?/);
  const query = new URL(out).searchParams;
  expect(Object.fromEntries(query)).toMatchObject({
    versionId: '7',
    'X-Amz-Expires': '7200',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(out).not.toContain('hidden');
});

it.each([
  ['--expires', '8d'],
  ['--expires', '500ms'],
  ['--prefix', 'x-goog-'],
  ['--method', 'FETCH IT'],
  ['--method', 'get'],
  ['--region', ''],
  ['--region', 'eu/west'],
])('refuses to sign with %s %s', async (option, value) => {
  expect((await run(['sign', 'http://x/y', option, value], keys)).end).toEqual(ended(2));
});

it('says what to try with the addresses that are used', () => {
  const text = welcome('http://h:1', 'http://h:2', 'http://h:2/hook', {
    customerKey: 'K',
    customerKeyMd5: 'M',
  });
  expect(text).toContain('curl -i http://h:1/sample/hello.txt');
  expect(text).toContain('http://h:2/metrics');
  expect(text).toMatch(/curl .* http:\/\/h:2\/hook$/m);
});

it('starts a store alone, for the credentials of the environment', async () => {
  const environment = { AWS_ACCESS_KEY_ID: 'me', AWS_SECRET_ACCESS_KEY: 'secret' };
  const { end, stores } = await run(['store', '--directory', 'data', '--port', '0', '--sample'], environment);
  expect(end).toEqual({ kind: 'running' });
  expect(stores).toEqual([
    {
      ...{ directory: 'data', host: '127.0.0.1', port: 0, headerPrefix: 'x-amz-', sample: true },
      ...{ accessKeyId: 'me', secretAccessKey: 'secret' },
    },
  ]);
});

it.each([
  [['store'], '--directory'],
  [['store', '--directory', 'd'], 'AWS_ACCESS_KEY_ID'],
  [['store', '--directory', 'd', '--port', '70000'], '--port 70000 is not a number from 0 to 65535', true],
  [['store', '--directory', 'd', '--prefix', 'x-'], 'x-amz-, x-store-', true],
])('%j is refused with 2', async (args, text, known = false) => {
  const environment = known ? { AWS_ACCESS_KEY_ID: 'me', AWS_SECRET_ACCESS_KEY: 'secret' } : {};
  const { end, errors } = await run(args as string[], environment as Record<string, string>);
  expect(end).toEqual(ended(2));
  expect(errors).toContain(text);
});

it('completion has each command and each of its options, for every shell', async () => {
  const { out: help } = await run(['--help']);
  const names = [...help.matchAll(/^ {2}([a-z]+) (?:\[|<| )/gm)].map(([, name = '']) => name);
  expect(names).toContain('completion');
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { out, end } = await run(['completion', shell]);
    expect(end).toEqual(ended(0));
    expect(names.filter(name => name !== 'tidegate' && !out.includes(name))).toEqual([]);
    for (const option of ['config', 'connect', 'admin', 'prefix', 'expires']) expect(out).toContain(option);
    expect(out).toContain('adaptive');
  }
});

it('completion of another shell is wrong usage, and the message names those that there are', async () => {
  const { end, errors } = await run(['completion', 'tcsh']);
  expect(end).toEqual(ended(2));
  expect(errors).toContain('bash, zsh, fish');
});

it('--help has examples, the environment, signals and exit codes, and no option of theirs is unknown', async () => {
  const { out } = await run(['--help']);
  for (const section of ['Examples:', 'Environment:', 'Signals:', 'Exit codes:'])
    expect(out).toContain(section);
  const examples = [...out.matchAll(/^ {2}tidegate (\w+) (.*?) {2,}/gm)];
  expect(examples.length).toBeGreaterThan(3);
  for (const [, command = '', words = ''] of examples) {
    const { out: about } = await run([command, '--help']);
    for (const [option] of words.matchAll(/(?<= |^)--?[a-z]+/g)) expect(about).toContain(option);
  }
});
