import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What nobody refers to any more is collected now. Shared memory, which V8 does not count, is given back only so. */
export const collectGarbage = ((): (() => void) => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
})();
