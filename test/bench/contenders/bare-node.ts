import { freePort, RealProcess } from '../../support/real-process.ts';
import { type Contender, pinned } from './contender.ts';

const program = new URL('bare-node-main.ts', import.meta.url).pathname;

/** A look-up in a map behind a bare node:http handler: what the platform itself costs. */
export async function startBareNode(paths: ReadonlyMap<string, number>): Promise<Contender> {
  const port = await freePort();
  const objects = JSON.stringify([...paths]);
  const server = new RealProcess(pinned[0] ?? '', [
    ...pinned.slice(1),
    process.execPath,
    program,
    String(port),
    objects,
  ]);
  await server.answers(`http://127.0.0.1:${port}/`);
  return {
    name: 'bare node:http',
    url: `http://127.0.0.1:${port}`,
    pid: server.pid,
    stop: () => server.stop(),
  };
}
