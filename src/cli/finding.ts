import type { ProbeResult } from '../backend/probe-store.ts';

/** One line of the report of `check --connect`, without the name of what it is about. */
export interface Finding {
  readonly text: string;
  /** 1 where it cannot be used, 2 where the configuration is wrong. */
  readonly exitCode: 0 | 1 | 2;
}

type Credentials = Extract<ProbeResult, { kind: 'signed' | 'unsigned' }>;

export function isOfCredentials(result: ProbeResult): result is Credentials {
  return result.kind === 'signed' || result.kind === 'unsigned';
}

export function credentialsFinding(result: Credentials): Finding {
  if (result.kind === 'unsigned') {
    const { source, why, cause } = result;
    return { text: `gets no credentials from ${source}: ${why} (${cause}); it was not asked`, exitCode: 1 };
  }
  const { source, expiresAtMs } = result;
  const until =
    expiresAtMs === undefined ? 'which do not expire' : `valid until ${new Date(expiresAtMs).toISOString()}`;
  return { text: `gets credentials from ${source}, ${until}`, exitCode: 0 };
}
