/** The key that decrypts the sample encrypted with a customer-provided key. */
interface SealedSample {
  readonly customerKey: string;
  readonly customerKeyMd5: string;
}

/** Commands to try after a start without a configuration; each can be pasted as it is. */
export function welcome(
  gatewayUrl: string,
  adminUrl: string,
  webhookUrl: string | undefined,
  { customerKey, customerKeyMd5 }: SealedSample,
): string {
  const aws = 'AWS_ACCESS_KEY_ID=demo AWS_SECRET_ACCESS_KEY=demo-secret AWS_DEFAULT_REGION=us-east-1 aws';
  const sealed = 'x-amz-server-side-encryption-customer';
  return [
    '',
    `Tidegate serves the bucket "sample" on ${gatewayUrl}. Try`,
    '',
    `  curl -i ${gatewayUrl}/sample/hello.txt`,
    `  curl -s -r 1048576-1048675 ${gatewayUrl}/sample/video.bin -o /dev/null -D -`,
    `  curl -s "${gatewayUrl}/sample?list-type=2"`,
    `  ${aws} --endpoint-url ${gatewayUrl} s3 ls s3://sample/`,
    `  curl -s -o /dev/null -D - ${gatewayUrl}/sample/sealed.bin -H "${sealed}-algorithm: AES256" \\`,
    `    -H "${sealed}-key: ${customerKey}" -H "${sealed}-key-md5: ${customerKeyMd5}"`,
    `  curl -s ${adminUrl}/metrics | grep tidegate_`,
    ...(webhookUrl === undefined
      ? []
      : [`  curl -s -H 'content-type: application/json' -d '{"text":"hello"}' ${webhookUrl}`]),
    '',
    `and look at ${adminUrl}/ for what it does, and at ${adminUrl}/channel for the cards it posts. Ctrl-C ends it.`,
    '',
  ].join('\n');
}
