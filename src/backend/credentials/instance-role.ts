import { askService } from './credential-service.ts';
import type { QuestionLimits } from './question-limits.ts';

/**
 * The role of the instance, which the SDK does not tell with its credentials (IMDSv2,
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html). Undefined where the
 * metadata service does not say.
 */
export async function instanceRole(limits: QuestionLimits): Promise<string | undefined> {
  try {
    const endpoint = metadataEndpoint();
    const ttl = { 'x-aws-ec2-metadata-token-ttl-seconds': '60' };
    const token = await askService(
      new URL('/latest/api/token', endpoint),
      { method: 'PUT', headers: ttl },
      limits,
    );
    const headers = { 'x-aws-ec2-metadata-token': token };
    const path = '/latest/meta-data/iam/security-credentials/';
    const role = await askService(new URL(path, endpoint), { headers }, limits);
    return role.trim() || undefined;
  } catch {
    return undefined;
  }
}

function metadataEndpoint(): string {
  const { AWS_EC2_METADATA_SERVICE_ENDPOINT: endpoint, AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: mode } =
    process.env;
  return endpoint || (mode === 'IPv6' ? 'http://[fd00:ec2::254]' : 'http://169.254.169.254');
}
