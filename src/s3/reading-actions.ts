import { actionOf } from './action.ts';
import { isReading } from './operation.ts';
import {
  bucketOperations,
  listedConfigurations,
  type OperationName,
  objectOperations,
} from './operation-table.ts';

/** All actions that permit nothing but reading. */
export const readingActions: ReadonlySet<string> = new Set(
  [bucketOperations, objectOperations]
    .flatMap(operations => Object.values(operations).flatMap(Object.entries<OperationName>))
    .filter(([method]) => isReading(method))
    .flatMap(([, name]) => [undefined, 'a version'].map(version => actionOf(name, version)))
    .concat(listedConfigurations),
);
