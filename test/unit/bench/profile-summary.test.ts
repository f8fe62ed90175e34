import { expect, it } from 'vitest';
import { endOf, summarise } from '../../bench/profile-summary.ts';

const node = (id: number, functionName: string, url: string) => ({ id, callFrame: { functionName, url } });

it('adds self time up by file, module, package and native function, without idle time', () => {
  const profile = {
    nodes: [
      node(1, 'serve', 'file:///somewhere/src/gateway/read/serve-object.ts'),
      node(2, 'other', 'file:///somewhere/src/gateway/read/serve-object.ts'),
      node(3, 'writeHead', 'node:_http_server'),
      node(4, '(idle)', ''),
      node(5, '(garbage collector)', ''),
      node(6, 'writev', ''),
      node(7, 'get', 'file:///somewhere/node_modules/lru-cache/dist/src/index.js'),
    ],
    samples: [1, 2, 3, 4, 5, 6, 7],
    timeDeltas: [10, 20, 25, 1000, 4, 3, 2],
  };
  expect(summarise(profile)).toEqual([
    { place: 'src/gateway/read/serve-object.ts', microseconds: 30 },
    { place: 'node:_http_server', microseconds: 25 },
    { place: '(garbage collector)', microseconds: 4 },
    { place: 'native writev', microseconds: 3 },
    { place: 'lru-cache', microseconds: 2 },
  ]);
});

it('cuts what came before the last milliseconds off', () => {
  const profile = {
    nodes: [node(1, 'load', 'node:internal/loader'), node(2, 'serve', 'node:net')],
    samples: [1, 1, 2, 2],
    timeDeltas: [5000, 5000, 1000, 1000],
  };
  expect(summarise(endOf(profile, 2))).toEqual([{ place: 'node:net', microseconds: 2000 }]);
  expect(summarise(endOf(profile, 1000))).toHaveLength(2);
});
