/** Environment variables that set what a start without a file would have from it, by the key. */
const variables: ReadonlyMap<string, string> = new Map([
  ['listen.port', 'TIDEGATE_PORT'],
  ['admin.port', 'TIDEGATE_ADMIN_PORT'],
  ['backends.demo.directory', 'TIDEGATE_DATA'],
]);

/** What to change, for messages: a key of the configuration, and what takes its place where a start has no file. */
export function placeOf(key: string, isDefaultStart: boolean): string {
  const variable = isDefaultStart ? variables.get(key) : undefined;
  return variable === undefined ? key : `${key}, or ${variable}`;
}

/** The key of the address at `index` of `listen`, which may be one or a list. */
export function listenKey(listen: readonly { readonly kind: 'tcp' | 'unix' }[], index: number): string {
  const key = listen[index]?.kind === 'unix' ? 'path' : 'port';
  return listen.length === 1 ? `listen.${key}` : `listen[${index}].${key}`;
}
