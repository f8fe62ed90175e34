import { actionsOf } from './action.ts';
import { isReading, listedConfigurations, namedOperations } from './operation-table.ts';

/** All actions that permit nothing but reading. */
export const readingActions: ReadonlySet<string> = new Set(
  namedOperations
    .filter(({ method }) => isReading(method))
    .flatMap(({ name }) => actionsOf(name))
    .concat(listedConfigurations),
);
