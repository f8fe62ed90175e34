import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Lab } from '../support/conformance/lab.ts';
import { OWNER } from '../support/embedded-store/store-under-test.ts';
import { run } from '../support/real-process.ts';

/** Reads from each point as programs do that use botocore, such as the AWS command line. */
const program = `
import json, socket, sys, urllib3
import botocore.session
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.httpsession import URLLib3Session

job = json.load(sys.stdin)
find = socket.getaddrinfo
socket.getaddrinfo = lambda host, *rest, **more: find('127.0.0.1' if str(host).endswith('gate.test') else host, *rest, **more)
urllib3.disable_warnings()
answers = {}
for point in job['points']:
    for region in ('eu-west-1', 'us-east-1'):
        session = botocore.session.Session()
        session.set_credentials(job['accessKeyId'], job['secretAccessKey'])
        config = Config(signature_version='s3v4', retries={'total_max_attempts': 1}, s3={'use_arn_region': True})
        s3 = session.create_client('s3', region_name=region, endpoint_url=point['endpoint'], verify=False, config=config)
        hosts = set()
        note = lambda request, **_: hosts.add(request.url.split('/')[2].split(':')[0])
        s3.meta.events.register('before-send.s3.*', note)
        of = {'Bucket': point['arn'], 'Key': 'a/b'}
        url = s3.generate_presigned_url('get_object', Params=of)
        presigned = URLLib3Session(verify=False).send(AWSRequest('GET', url).prepare())
        answers[point['arn'] + ' ' + region] = {
            'whole': s3.get_object(**of)['Body'].read().decode(),
            'range': s3.get_object(Range='bytes=0-2', **of)['Body'].read().decode(),
            'length': s3.head_object(**of)['ContentLength'],
            'keys': [each['Key'] for each in s3.list_objects_v2(Bucket=point['arn'])['Contents']],
            'presigned': presigned.text,
            'hosts': sorted(hosts),
        }
json.dump(answers, sys.stdout)
`;

const account = '123456789012';
/** What stands before the gateway's domain, and the scheme that botocore insists on. */
const points = {
  [`arn:aws:s3:eu-west-1:${account}:accesspoint/ap`]: ['http', `ap-${account}`],
  [`arn:aws:s3-object-lambda:eu-west-1:${account}:accesspoint/ap`]: ['http', `ap-${account}`],
  [`arn:aws:s3-outposts:eu-west-1:${account}:outpost/op-1/accesspoint/ap`]: ['https', `ap-${account}.op-1`],
} as const;

let lab: Lab;
/** Takes the TLS off, as something before the gateway would. */
let tls: Server;

beforeAll(async () => {
  const buckets = Object.keys(points).map((name, index) => [name, { bucketAtStore: `box-${index}` }]);
  lab = await Lab.start({ buckets: Object.fromEntries(buckets), gateway: { domain: 'gate.test' } });
  for (const [index, name] of Object.keys(points).entries()) {
    await lab.store.put(`/box-${index}`);
    await lab.store.put(`/box-${index}/a/b`, name);
  }
  const file = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url));
  const keys = { cert: file('localhost-cert.pem'), key: file('localhost-key.pem') };
  tls = createServer(keys, socket => {
    const gateway = connect(Number(new URL(lab.gateway.url()).port), '127.0.0.1');
    for (const each of [socket, gateway]) each.on('error', () => each.destroy());
    socket.pipe(gateway).pipe(socket);
  });
  await new Promise<void>(resolve => tls.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  tls.close();
  await lab.stop();
});

it('botocore reads through the ARNs of access points with the gateway as its endpoint', async () => {
  const ports = { http: new URL(lab.gateway.url()).port, https: (tls.address() as AddressInfo).port };
  const input = JSON.stringify({
    ...OWNER,
    points: Object.entries(points).map(([arn, [scheme]]) => ({
      arn,
      endpoint: `${scheme}://gate.test:${ports[scheme]}`,
    })),
  });
  const answers = JSON.parse(await run('python3', ['-c', program], { input }));
  const expected = Object.entries(points).flatMap(([arn, [, labels]]) =>
    ['eu-west-1', 'us-east-1'].map(region => [
      `${arn} ${region}`,
      {
        ...{ whole: arn, presigned: arn, range: 'arn', length: arn.length, keys: ['a/b'] },
        hosts: [`${labels}.gate.test`],
      },
    ]),
  );
  expect(answers).toEqual(Object.fromEntries(expected));
});
