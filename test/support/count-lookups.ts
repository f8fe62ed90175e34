/** How often `act` and what it waits for look something up in a map, or take the next of its entries. */
export async function countLookups(act: () => unknown): Promise<number> {
  const { get, has, entries } = Map.prototype;
  let lookups = 0;
  Map.prototype.get = function (key) {
    lookups++;
    return get.call(this, key);
  };
  Map.prototype.has = function (key) {
    lookups++;
    return has.call(this, key);
  };
  Map.prototype[Symbol.iterator] = function* () {
    for (const entry of entries.call(this)) {
      lookups++;
      yield entry;
    }
    return undefined;
  };
  try {
    await act();
  } finally {
    Object.assign(Map.prototype, { get, has });
    Map.prototype[Symbol.iterator] = entries;
  }
  return lookups;
}
