import { OPERATIONS, type Operation } from './operation-table.ts';
import { StoreError } from './protocol/store-error.ts';
import type { StoreRequest } from './protocol/store-request.ts';

/** Query parameters that select operations which this store does not have. */
const ABSENT_SELECTORS = [
  'accelerate',
  'analytics',
  'attributes',
  'encryption',
  'intelligent-tiering',
  'inventory',
  'logging',
  'metrics',
  'notification',
  'object-lock',
  'ownershipControls',
  'policy',
  'policyStatus',
  'publicAccessBlock',
  'replication',
  'select',
  'torrent',
  'website',
];

const SELECTORS: ReadonlySet<string> = new Set([
  ...OPERATIONS.map(operation => operation.selector).filter(selector => selector !== ''),
  ...ABSENT_SELECTORS,
]);

/**
 * The operation that method, resource and selecting parameter name. Parameters that select nothing are
 * ignored (behaviours.md 237). Throws MethodNotAllowed (235, 268, 270), InvalidArgument for two selectors,
 * InvalidRequest (236) and NotImplemented.
 */
export function findOperation(request: StoreRequest): Operation {
  const { method, target } = request;
  const selector = selectorOf(request);
  if (ABSENT_SELECTORS.includes(selector)) throw new StoreError('NotImplemented');
  const candidates = OPERATIONS.filter(
    operation => resourceOf(operation) === target.kind && operation.selector === selector,
  );
  const operation = candidates.find(candidate => candidate.method === method);
  if (operation) return operation;
  if (selector === 'versions' && target.kind === 'object') {
    throw new StoreError('InvalidRequest', {
      message: 'There is no such thing as the ?versions sub-resource for a key',
    });
  }
  throw new StoreError('MethodNotAllowed', {
    fields: { Method: method, ResourceType: target.kind.toUpperCase() },
    headers: { allow: candidates.map(candidate => candidate.method).join(', ') },
  });
}

function selectorOf({ query }: StoreRequest): string {
  const [selector = '', ...others] = [...query.keys()].filter(name => SELECTORS.has(name));
  if (others.length === 0) return selector;
  throw new StoreError('InvalidArgument', {
    message: `Conflicting query string parameters: ${[selector, ...others].join(', ')}`,
    fields: { ArgumentName: 'ResourceType', ArgumentValue: selector },
  });
}

function resourceOf({ on }: Operation): StoreRequest['target']['kind'] {
  return on === 'bucket-name' ? 'bucket' : on;
}
