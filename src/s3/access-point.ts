/** The service name in signatures for an access point; it distinguishes the kinds. */
export type AccessPointService = 's3' | 's3-object-lambda' | 's3-outposts';

/** Whether `name` is a service for which requests can be signed. */
export function isAccessPointService(name: string): name is AccessPointService {
  return Object.hasOwn(labels, name);
}

/** An access point, an object-lambda access point, or an access point (or bucket) on an outpost. */
export interface AccessPoint {
  readonly service: AccessPointService;
  /** A group of regions, such as `aws` or `aws-cn`. */
  readonly partition: string;
  readonly region: string;
  /** Twelve digits. */
  readonly accountId: string;
  readonly name: string;
  /** Only with `s3-outposts`. */
  readonly outpostId: string | undefined;
}

/** The label of each kind in its host names. */
const labels: Readonly<Record<AccessPointService, string>> = {
  s3: 's3-accesspoint',
  's3-object-lambda': 's3-object-lambda',
  's3-outposts': 's3-outposts',
};

const services: ReadonlyMap<string, AccessPointService> = new Map([
  ['s3-accesspoint', 's3'],
  ['s3-object-lambda', 's3-object-lambda'],
  ['s3-outposts', 's3-outposts'],
]);

const arnPattern =
  /^arn:(aws[a-z-]*):(s3|s3-object-lambda|s3-outposts):([a-z\d-]+):(\d{12}):(?:outpost[/:](op-[a-z\d]+)[/:](?:accesspoint|bucket)|accesspoint)[/:]([a-z\d][a-z\d.-]*)$/;

const hostPattern =
  /^([a-z\d][a-z\d-]*)-(\d{12})\.(?:(op-[a-z\d]+)\.)?(s3-accesspoint|s3-object-lambda|s3-outposts)(?:-fips)?\.(?:dualstack\.)?([a-z\d-]+)\.(.+)$/;

const serviceHost = /^s3(?:[.-][a-z\d-]+)*?\.(amazonaws\.com(?:\.cn)?)$/;

/** Parses the ARN of an access point (docs/semantics.md, Bucket); undefined for anything else. */
export function parseAccessPointArn(arn: string): AccessPoint | undefined {
  const match = arnPattern.exec(arn);
  if (!match) return undefined;
  const [, partition = '', kind = '', region = '', accountId = '', outpostId, name = ''] = match;
  return isAccessPointService(kind)
    ? checked({ service: kind, partition, region, accountId, name, outpostId })
    : undefined;
}

/**
 * The canonical form of a bucket's name. An ARN can be written in several ways, which must not become several buckets.
 */
export function canonicalBucketName(name: string): string {
  const point = name.startsWith('arn:') ? parseAccessPointArn(name) : undefined;
  return point ? formatAccessPointArn(point) : name;
}

/** Formats the ARN of an access point; the reverse of `parseAccessPointArn`. */
export function formatAccessPointArn(point: AccessPoint): string {
  const { service, partition, region, accountId, name, outpostId } = point;
  const resource =
    outpostId === undefined ? `accesspoint/${name}` : `outpost/${outpostId}/accesspoint/${name}`;
  return `arn:${partition}:${service}:${region}:${accountId}:${resource}`;
}

/**
 * Parses the host name of an access point; undefined for other host names.
 *
 * @param host in lower case, without port
 */
export function parseAccessPointHost(host: string): AccessPoint | undefined {
  if (!host.includes('.s3-')) return undefined;
  const match = hostPattern.exec(host);
  const service = services.get(match?.[4] ?? '');
  if (!match || !service) return undefined;
  const [, name = '', accountId = '', outpostId, , region = '', suffix = ''] = match;
  return checked({ service, partition: partitionOf(region, suffix), region, accountId, name, outpostId });
}

/**
 * The host name of an access point: name, account, label and region before the store's domain (docs/semantics.md,
 * Bucket).
 *
 * @param endpointHost the host of the store's endpoint, with port if any
 */
export function accessPointHost(point: AccessPoint, endpointHost: string): string {
  const { service, region } = point;
  return `${ownLabels(point)}.${labels[service]}.${region}.${serviceDomain(endpointHost)}`;
}

/**
 * The labels that are the point's own: name and account, and the outpost. Clients that are given an ARN as the bucket and
 * a gateway as their endpoint put these before its host, and neither kind nor region.
 */
export function ownLabels({ name, accountId, outpostId }: AccessPoint): string {
  return outpostId === undefined ? `${name}-${accountId}` : `${name}-${accountId}.${outpostId}`;
}

const ownLabelsPattern = /-\d{12}(?:\.op-[a-z\d]+)?$/;

/** Whether the labels of a host may be those of an access point, see `ownLabels`. */
export function mayBeOwnLabels(hostLabels: string): boolean {
  return ownLabelsPattern.test(hostLabels);
}

/** The domain of a service with one host per region and kind; otherwise the host itself. */
export function serviceDomain(endpointHost: string): string {
  return serviceHost.exec(endpointHost)?.[1] ?? endpointHost;
}

/** An outpost id is required for `s3-outposts` and not allowed for other services. */
function checked(point: AccessPoint): AccessPoint | undefined {
  return (point.service === 's3-outposts') === (point.outpostId !== undefined) ? point : undefined;
}

function partitionOf(region: string, suffix: string): string {
  if (suffix.endsWith('.cn')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}
