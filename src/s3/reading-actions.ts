import { isGetOrHead } from '../http/get-or-head.ts';
import { actionsOf } from './action.ts';
import { listedConfigurations, namedOperations } from './operation-table.ts';

/** All actions that permit nothing but reading. */
export const readingActions: ReadonlySet<string> = new Set(
  namedOperations
    .filter(({ method }) => isGetOrHead(method))
    .flatMap(({ name }) => actionsOf(name))
    .concat(listedConfigurations),
);
