import type { GenerationIdentity } from '../../cache/generation-identity.ts';
import type { ObjectKey } from '../../cache/object-key.ts';
import type { TraceContext } from '../../http/trace-context.ts';
import { fieldValue, type HeaderField } from '../../s3/dialect.ts';
import { cannotBeSent } from '../fill/no-source.ts';
import type { RangeSource } from '../fill/ranged-read.ts';
import { unconditionalFields } from './confirmation.ts';
import { fieldsOfGateway, fieldsOfPlace } from './outgoing-fields.ts';
import { targetOfKey, type WebBucket } from './web-target.ts';

/**
 * Requests ranges of a stored answer with If-Match on its strong tag, and with the request fields that selected it. A refusal
 * is not given to who reads: that client's own request is sent instead. Without a strong tag there is nothing to ask for.
 */
export function webRangeSource(
  bucket: WebBucket,
  objectKey: Pick<ObjectKey, 'key'>,
  selecting: readonly HeaderField[] = [],
  { entityTag }: GenerationIdentity,
  trace: TraceContext | undefined,
): RangeSource {
  const { store, web } = bucket;
  const { path, target, scheme, host } = targetOfKey(bucket, objectKey);
  const { requests } = bucket.rulesFor(path);
  return {
    backend: store.name,
    isByVersion: true,
    mayRetry: () => store.mayRetry(),
    send: (from, to, receiver) => {
      const range = `bytes=${from}-${to - 1}`;
      const asked = { range, 'if-match': entityTag };
      const own = fieldsOfPlace(web, scheme, host);
      for (const [name, value] of Object.entries(asked))
        if (value !== undefined) own.push({ name, value, store: false });
      // Vary may name what the gateway sets itself
      const set = new Set(own.map(({ name }) => name));
      const fields = [...own, ...unconditionalFields(selecting).filter(({ name }) => !set.has(name))];
      for (const [name, value] of Object.entries(fieldsOfGateway))
        if (fieldValue(fields, name) === undefined) fields.push({ name, value, store: false });
      if (entityTag !== undefined)
        return store.send(
          {
            method: 'GET',
            operation: 'GET',
            bucket: undefined,
            key: undefined,
            query: '',
            target,
            fields: requests?.applied(fields) ?? fields,
            isFailureUntold: true,
            ...(trace && { trace }),
          },
          receiver,
        );
      return cannotBeSent(receiver);
    },
  };
}
