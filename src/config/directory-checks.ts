import { statSync } from 'node:fs';
import { errorCode } from '../base/error-code.ts';
import type { GatewayConfig } from './gateway-config.ts';

interface UnusableDirectory {
  readonly path: readonly PropertyKey[];
  readonly reason: string;
}

/** The keys whose directories cannot be made, because a file is there. */
export function* filesForDirectories({
  state,
  backends,
}: Pick<GatewayConfig, 'state' | 'backends'>): Generator<UnusableDirectory> {
  if (isFile(state.directory)) yield { path: ['state', 'directory'], reason: IS_FILE };
  for (const [name, backend] of Object.entries(backends)) {
    if (backend.type !== 'embedded' || !isFile(backend.directory)) continue;
    yield { path: ['backends', name, 'directory'], reason: IS_FILE };
  }
}

const IS_FILE = 'is a file, or below one; expected a directory, which is made where it is missing';

/** Whether `path`, or what it is below, is there and no directory. What else is wrong with it shows when it is used. */
export function isFile(path: string): boolean {
  try {
    return !statSync(path).isDirectory();
  } catch (error) {
    return errorCode(error) === 'ENOTDIR';
  }
}
