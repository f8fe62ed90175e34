import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { PreparedChange } from '../../base/prepared-change.ts';
import {
  formatListenAddress,
  type ListenAddress,
  type ProxySettings,
  type UnixAddress,
} from '../listen-address.ts';
import { readTls, type TlsFiles, type TlsMaterial } from './tls-material.ts';

/** An address as configured. */
export type ConfiguredAddress =
  | ({
      readonly kind: 'tcp';
      readonly host: string;
      readonly port: number;
      readonly tls?: TlsFiles | undefined;
    } & ProxySettings)
  | UnixAddress;

interface CertificateWatchOptions {
  readonly addresses: readonly ConfiguredAddress[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** A file of a certificate cannot be used at the start. */
export class CertificateError extends Error {
  readonly code = 'CERTIFICATE';
}

/** Between looks at the files. Their times are compared: it costs a few system calls, and works on every file system. */
const LOOK_MS = 5_000;

/** New ticket keys, so that a stolen one opens the sessions of a day at most (RFC 5077 §5.5). */
const TICKET_KEY_MS = 86_400_000;

interface Watched {
  readonly address: string;
  files: TlsFiles;
  material: TlsMaterial;
  /** What the files looked like when they were last read. */
  stamp: string;
  readMs: number;
}

/**
 * Reads the certificates of all addresses, and again when their files change. Files that cannot be used change nothing:
 * the certificate read before stays in use.
 */
export class CertificateWatch {
  readonly #options: CertificateWatchOptions;
  readonly #watched = new Map<ConfiguredAddress, Watched>();
  /** Addresses whose files cannot be used, with the indexes of the certificates. */
  readonly #unusable = new Map<Watched, ReadonlySet<number>>();
  #timer: Timer | undefined;
  #changed: () => void = () => undefined;
  #forgetFile: (file: string) => void = () => undefined;

  /** @throws CertificateError if one of them is not usable */
  constructor(options: CertificateWatchOptions) {
    this.#options = options;
    const nowMs = options.clock.monotonicMs();
    for (const address of options.addresses) {
      if (address.kind === 'unix' || !address.tls) continue;
      const watched = { address: formatListenAddress(named(address)), ...readAll(address.tls, nowMs) };
      this.#watched.set(address, watched);
    }
    if (this.#watched.size > 0) this.#measure(options.metrics);
  }

  /** The addresses, with the certificates in use. */
  addresses(): ListenAddress[] {
    return this.#options.addresses.map(address =>
      address.kind === 'unix' ? address : { ...address, tls: this.#watched.get(address)?.material },
    );
  }

  /**
   * Prepares other certificate files for the same addresses. New connections get them once the change is applied.
   *
   * @param listen the addresses of the changed configuration, in the same order
   * @throws CertificateError if one of them is not usable
   */
  prepare(listen: readonly ConfiguredAddress[]): PreparedChange {
    const { addresses, clock } = this.#options;
    const changes = addresses.flatMap((address, index) => {
      const [watched, next] = [this.#watched.get(address), listen[index]];
      if (!watched || next?.kind !== 'tcp' || !next.tls) return [];
      if (isDeepStrictEqual(next.tls, watched.files)) return [];
      return [{ watched, read: readAll(next.tls, clock.monotonicMs()) }];
    });
    return {
      apply: () => {
        for (const { watched, read } of changes) {
          this.#forgetFiles(watched);
          Object.assign(watched, read);
        }
        if (changes.length > 0) this.#changed();
      },
      cancel: () => undefined,
    };
  }

  /** Calls `changed` whenever the certificates have changed. */
  start(changed: () => void): void {
    if (this.#watched.size === 0) return;
    this.#changed = changed;
    const { clock } = this.#options;
    const look = () => {
      if (this.#look()) this.#changed();
      this.#timer = clock.after(LOOK_MS, look);
    };
    this.#timer = clock.after(LOOK_MS, look);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** @returns whether anything is used anew */
  #look(): boolean {
    return [...this.#watched.values()].map(watched => this.#lookAt(watched)).some(isNew => isNew);
  }

  #lookAt(watched: Watched): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    const stamp = stampOf(watched.files);
    const isChanged = stamp !== watched.stamp;
    const isUnusable = this.#unusable.has(watched);
    if (!isChanged && (isUnusable || nowMs - watched.readMs < TICKET_KEY_MS)) return false;
    watched.stamp = stamp;
    const read = readTls(watched.files);
    const { logger } = this.#options;
    const { address } = watched;
    if (read.kind === 'problems') {
      this.#unusable.set(watched, new Set(read.problems.map(({ index }) => index)));
      const problems = read.problems.map(({ file, why }) => `${file} ${why}`);
      logger.error(
        { address, problems },
        'the new certificate cannot be used: the one read before stays in use',
      );
      return false;
    }
    this.#unusable.delete(watched);
    watched.material = read.material;
    watched.readMs = nowMs;
    if (isChanged) logger.info({ address }, 'certificates were read again, and are used for new connections');
    return true;
  }

  #forgetFiles(watched: Watched): void {
    this.#unusable.delete(watched);
    for (const { file } of watched.material.certificates) this.#forgetFile(file);
  }

  #measure(metrics: Metrics): void {
    const expiry = metrics.gauge(
      'tidegate_certificate_expiry_seconds',
      'Seconds until the certificate in use expires; negative once it has.',
      ['file'],
      'min',
    );
    const usable = metrics.gauge(
      'tidegate_certificate_usable',
      '1 where the files of the certificate were in order when they were last read, else 0.',
      ['file'],
      'min',
    );
    this.#forgetFile = file => {
      expiry.remove(file);
      usable.remove(file);
    };
    metrics.onSnapshot(() => {
      const nowMs = this.#options.clock.nowMs();
      for (const watched of this.#watched.values()) {
        for (const [index, { file, expiresMs }] of watched.material.certificates.entries()) {
          expiry.cell(file).set((expiresMs - nowMs) / 1_000);
          usable.cell(file).set(this.#unusable.get(watched)?.has(index) ? 0 : 1);
        }
      }
    });
  }
}

/** @throws CertificateError if one of them is not usable */
function readAll(files: TlsFiles, nowMs: number): Omit<Watched, 'address'> {
  const stamp = stampOf(files);
  const read = readTls(files);
  if (read.kind === 'problems')
    throw new CertificateError(read.problems.map(({ file, why }) => `${file} ${why}`).join('; '));
  return { files, material: read.material, stamp, readMs: nowMs };
}

function named({ host, port }: { readonly host: string; readonly port: number }) {
  return { kind: 'tcp' as const, host, port };
}

/** Changes whenever a file is replaced or written, also behind a symbolic link. */
function stampOf({ certificates, clientCa }: TlsFiles): string {
  const files = certificates.flatMap(({ cert, key }) => [cert, key]);
  if (clientCa !== undefined) files.push(clientCa);
  return files.map(stampOfFile).join(' ');
}

function stampOfFile(file: string): string {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(file);
    return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  } catch {
    // reading it says why
    return 'none';
  }
}
