/**
 * Keeps `value` with `owner`, as a property that no copy of the owner has and that is not listed with the others. V8 finds the values
 * of a WeakMap by hash, and keeps them until the next full collection, whatever becomes of their owners.
 *
 * @returns `value`
 */
export function attach<Value>(owner: object, name: symbol, value: Value): Value {
  Object.defineProperty(owner, name, { value, writable: true });
  return value;
}
