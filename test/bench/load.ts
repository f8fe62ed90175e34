import { run } from '../support/real-process.ts';

export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  /** The core that the generator is kept on. */
  readonly core: number;
  /** A program in Lua that makes the requests, and its arguments. */
  readonly script?: readonly [file: string, ...parameters: string[]];
}

/** Runs wrk with one thread and keep-alive connections; gives the requests answered. Any other answer than 2xx fails. */
export async function generateLoad({ url, connections, seconds, core, script }: Load): Promise<number> {
  const [file, ...parameters] = script ?? [];
  const wrk = [
    'wrk',
    '--threads',
    '1',
    '--connections',
    String(connections),
    '--duration',
    `${seconds}s`,
    // of many objects some may wait for the collector
    ...(file === undefined ? [] : ['--script', file, '--timeout', '60s']),
    url,
    ...parameters,
  ];
  const output = await run('taskset', ['--cpu-list', String(core), ...wrk]);
  const requests = Number(/(\d+) requests in/.exec(output)?.[1]);
  if (!(requests > 0) || /Socket errors|Non-2xx/.test(output)) throw new Error(`wrk on ${url}:\n${output}`);
  return requests;
}
