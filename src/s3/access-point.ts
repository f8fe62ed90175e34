/** The signing name of the service that an access point belongs to; it tells the kinds apart. */
export type AccessPointService = 's3' | 's3-object-lambda' | 's3-outposts';

/** Whether a signature may be made for a service of this name. */
export function isAccessPointService(name: string): name is AccessPointService {
  return Object.hasOwn(labels, name);
}

/** An access point, an object-lambda access point, or an access point (or bucket) on an outpost. */
export interface AccessPoint {
  readonly service: AccessPointService;
  /** `aws`, `aws-cn` or another family of regions. */
  readonly partition: string;
  readonly region: string;
  /** Twelve digits. */
  readonly accountId: string;
  readonly name: string;
  /** Only with `s3-outposts`. */
  readonly outpostId: string | undefined;
}

/** The label of each kind in its host name. */
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

/** Reads the ARN of an access point (object-retrieval.md, Bucket); undefined when it is none. */
export function parseAccessPointArn(arn: string): AccessPoint | undefined {
  const match = arnPattern.exec(arn);
  if (!match) return undefined;
  const [, partition = '', kind = '', region = '', accountId = '', outpostId, name = ''] = match;
  return isAccessPointService(kind)
    ? checked({ service: kind, partition, region, accountId, name, outpostId })
    : undefined;
}

/**
 * A bucket's name in the one form under which it is known: that ARNs can be written in several ways does not make
 * several buckets of one.
 */
export function canonicalBucketName(name: string): string {
  const point = name.startsWith('arn:') ? parseAccessPointArn(name) : undefined;
  return point ? formatAccessPointArn(point) : name;
}

/** The ARN of an access point; what `parseAccessPointArn` reads. */
export function formatAccessPointArn(point: AccessPoint): string {
  const { service, partition, region, accountId, name, outpostId } = point;
  const resource =
    outpostId === undefined ? `accesspoint/${name}` : `outpost/${outpostId}/accesspoint/${name}`;
  return `arn:${partition}:${service}:${region}:${accountId}:${resource}`;
}

/**
 * The access point that a host name addresses; undefined when it is the name of something else.
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
 * The host that an access point is reached at: name, account, label and region before the domain of the store
 * (object-retrieval.md, Bucket).
 *
 * @param endpointHost host, with port if any, of the store that buckets are reached at
 */
export function accessPointHost(point: AccessPoint, endpointHost: string): string {
  const { service, region, accountId, name, outpostId } = point;
  const outpost = outpostId === undefined ? '' : `${outpostId}.`;
  return `${name}-${accountId}.${outpost}${labels[service]}.${region}.${serviceDomain(endpointHost)}`;
}

/** The domain of a service that is reached at many hosts, one for each region and kind; else the host itself. */
export function serviceDomain(endpointHost: string): string {
  return serviceHost.exec(endpointHost)?.[1] ?? endpointHost;
}

/** An outpost belongs to outposts and to nothing else. */
function checked(point: AccessPoint): AccessPoint | undefined {
  return (point.service === 's3-outposts') === (point.outpostId !== undefined) ? point : undefined;
}

function partitionOf(region: string, suffix: string): string {
  if (suffix.endsWith('.cn')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}
