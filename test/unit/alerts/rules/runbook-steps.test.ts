import { EventEmitter } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { alertNames } from '../../../../src/alerts/rules/rule-description.ts';
import { stepsOf, writeSteps } from '../../../../src/alerts/rules/runbook-steps.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { Metrics } from '../../../../src/base/metrics.ts';
import { runProgram } from '../../../../src/cli/program.ts';

const root = new URL('../../../../', import.meta.url).pathname;
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const sources = globSync('src/**/*.ts', { cwd: root })
  .filter(path => !path.endsWith('runbook-steps.ts'))
  .map(read)
  .join('\n');
const steps = [...alertNames.flatMap(name => stepsOf(name)), ...writeSteps];
const queries = steps.filter(({ kind }) => kind === 'promql').map(({ text }) => text);
const commands = steps.filter(({ kind }) => kind === 'shell').map(({ text }) => text);

it.each(alertNames)('%s has something to run', name => {
  expect(stepsOf(name)).not.toEqual([]);
});

describe('a query', () => {
  /** The labels of each family, from docs/operating.md, whose families are held to the sources. */
  const documented = new Map(
    [...read('docs/operating.md').matchAll(/^\| (`tidegate_.*?) \| ([^|]*) \|/gm)].flatMap(
      ([, names = '', labels = '']) =>
        Array.from(
          names.matchAll(/`(\w+)`/g),
          ([, name = '']) => [name, labels.split(',').map(label => label.trim())] as const,
        ),
    ),
  );
  const runtimes = (['main', 'worker'] as const).map(thread => {
    const metrics = new Metrics();
    metrics.addRuntimeMetrics(thread);
    return metrics;
  });
  const familyOf = (metric: string) => metric.replace(/_bucket$/, '');

  it.each(queries)('names a metric that exists: %s', async query => {
    const metrics = query.match(/\b(?:tidegate|nodejs|process)_\w+/g) ?? [];
    expect(metrics).not.toEqual([]);
    const ofRuntime = (await Promise.all(runtimes.map(runtime => runtime.snapshot()))).flat();
    const ofRuntimeNames = ofRuntime.map(({ name }) => name);
    const isKnown = (metric: string) =>
      sources.includes(`'${familyOf(metric)}'`) || ofRuntimeNames.includes(metric);
    expect(metrics.filter(metric => !isKnown(metric))).toEqual([]);
  });

  it.each(queries)('uses only labels that its metrics have: %s', query => {
    const known = new Set(
      [...query.matchAll(/\btidegate_\w+/g)].flatMap(([metric]) => documented.get(familyOf(metric)) ?? []),
    );
    if (/_bucket\b/.test(query)) known.add('le');
    const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(', '));
    const selected = Array.from(query.matchAll(/[{,](\w+)[!=]/g), ([, name = '']) => name);
    expect([...grouped, ...selected].filter(label => !known.has(label))).toEqual([]);
  });
});

describe('a command', () => {
  const ofTidegate = commands.filter(text => text.startsWith('tidegate '));
  const ofAdminApi = commands.filter(text => text.includes('ADMIN_URL/'));

  it.each(ofTidegate)('of tidegate is one, with options that it has: %s', async text => {
    const printed: string[] = [];
    const [, name = '', ...words] = text.split(' ');
    await runProgram([name, '--help'], {
      ...{
        version: '1.0.0',
        environment: {},
        clock: systemClock,
        signals: new EventEmitter(),
        build: async () => undefined,
        connect: async () => ({ backends: new Map(), queue: [] }),
      },
      serve: async () => undefined,
      serveStore: async () => undefined,
      print: line => void printed.push(line),
      printError: line => void printed.push(line),
    });
    const help = printed.join('\n');
    expect(help).toContain(`Usage: tidegate ${name}`);
    for (const option of words.filter(word => word.startsWith('--'))) expect(help).toContain(option);
  });

  it.each(ofAdminApi)('asks a path that the admin port serves: %s', text => {
    const [path = ''] = /(?<=ADMIN_URL)\/[\w/]*/.exec(text) ?? [];
    expect(sources).toContain(`path: '${path}'`);
  });

  it('is of one of the known tools', () => {
    const others = commands.filter(text => !ofTidegate.includes(text) && !ofAdminApi.includes(text));
    expect(others.filter(text => !/^(?:jq|df) /.test(text))).toEqual([]);
    expect(Math.min(ofTidegate.length, ofAdminApi.length)).toBeGreaterThan(1);
  });

  it.each(commands.filter(text => text.includes('jq ')))('selects and reads only what there is: %s', text => {
    const [, quoted, bare = ''] = /\bjq (?:-c )?(?:'([^']*)'|(\S+))/.exec(text) ?? [];
    const program = quoted ?? bare;
    const names = Array.from(
      program.replace(/"[^"]*"/g, '').matchAll(/\.([a-z]\w*)/gi),
      ([, name = '']) => name,
    );
    expect(names).not.toEqual([]);
    const documented = read('docs/operating.md');
    const isKnown = (name: string) =>
      new RegExp(`\\b${name}\\b`).test(sources) || documented.includes(`\`${name}\``);
    expect(names.filter(name => !isKnown(name))).toEqual([]);
  });

  it('reads fields that the log has, and keys that the answers have', () => {
    const fields = commands.flatMap(text => [...(/\{([\w, ]+)\}/.exec(text)?.[1]?.split(', ') ?? [])]);
    expect(fields.length).toBeGreaterThan(5);
    const documented = read('docs/operating.md');
    const ofEveryLine = ['thread', 'msg', 'err'];
    expect(
      fields.filter(field => !ofEveryLine.includes(field) && !documented.includes(`\`${field}\``)),
    ).toEqual([]);
  });
});
