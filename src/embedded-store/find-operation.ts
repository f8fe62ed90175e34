import { type Operation, operations } from './operation-table.ts';
import { OperationError } from './protocol/operation-error.ts';
import type { OperationRequest } from './protocol/operation-request.ts';

/** Query parameters that select operations which this store does not support. */
const absentSelectors = [
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

const selectors: ReadonlySet<string> = new Set([
  ...operations.map(operation => operation.selector).filter(selector => selector !== ''),
  ...absentSelectors,
]);

/**
 * Finds the operation by method, resource and selecting parameter. Other parameters are ignored (docs/semantics.md
 * 237).
 *
 * @throws MethodNotAllowed (235, 268, 270), InvalidArgument for two selectors, InvalidRequest (236) and NotImplemented
 */
export function findOperation(request: OperationRequest): Operation {
  const { method, target } = request;
  const selector = selectorOf(request);
  if (absentSelectors.includes(selector)) throw new OperationError('NotImplemented');
  const candidates = operations.filter(
    operation => resourceOf(operation) === target.kind && operation.selector === selector,
  );
  const operation = candidates.find(candidate => candidate.method === method);
  if (operation) return operation;
  if (selector === 'versions' && target.kind === 'object') {
    throw new OperationError('InvalidRequest', {
      message: 'There is no such thing as the ?versions sub-resource for a key',
    });
  }
  throw new OperationError('MethodNotAllowed', {
    fields: { Method: method, ResourceType: target.kind.toUpperCase() },
    headers: { allow: candidates.map(candidate => candidate.method).join(', ') },
  });
}

function selectorOf({ query }: OperationRequest): string {
  const [selector = '', ...others] = [...query.keys()].filter(name => selectors.has(name));
  if (others.length === 0) return selector;
  throw new OperationError('InvalidArgument', {
    message: `Conflicting query string parameters: ${[selector, ...others].join(', ')}`,
    fields: { ArgumentName: 'ResourceType', ArgumentValue: selector },
  });
}

function resourceOf({ on }: Operation): OperationRequest['target']['kind'] {
  return on === 'bucket-name' ? 'bucket' : on;
}
