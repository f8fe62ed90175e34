/** Whether a method asks for a representation, or its head: those whose answers caches keep, and that change nothing at a store. */
export function isGetOrHead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}
