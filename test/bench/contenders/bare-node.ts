import { type Contender, startContender } from './contender.ts';

const program = new URL('bare-node-main.ts', import.meta.url).pathname;

/** A look-up in a map behind a bare node:http handler: what the platform itself costs. */
export function startBareNode(sizesByPath: ReadonlyMap<string, number>): Promise<Contender> {
  const objects = JSON.stringify([...sizesByPath]);
  return startContender('bare node:http', (_directory, port) => [
    process.execPath,
    program,
    String(port),
    objects,
  ]);
}
