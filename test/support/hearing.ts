import type { StoreReplyHead } from '../../src/backend/store.ts';

/** A receiver of an answer, and what it has heard: each head, chunk, end and failure as a text. */
export function hearing() {
  const heard: string[] = [];
  const fieldsOf = ({ fields }: StoreReplyHead) => fields.map(({ name, value }) => ` ${name}=${value}`);
  const receiver = {
    answered: (head: StoreReplyHead) => void heard.push(`${head.status}${fieldsOf(head).join('')}`),
    arrived: (chunk: Buffer) => void heard.push(chunk.toString()),
    ended: () => void heard.push('ended'),
    failed: (error: unknown) => void heard.push(`failed: ${error}`),
  };
  return { heard, receiver };
}
