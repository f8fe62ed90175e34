import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

/** Debian's. */
const CHROMIUM = '/usr/bin/chromium';

/** A browser with an empty profile that talks to nobody but the pages under test. */
export function launchBrowser(options: {
  readonly colorScheme: 'light' | 'dark';
  /** Of the reader, such as `America/New_York`. */
  readonly timezoneId?: string;
  /** What the browser says that it is. */
  readonly userAgent?: string;
}): Promise<BrowserContext> {
  return chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), 'tidegate-browser-')), {
    ...options,
    executablePath: CHROMIUM,
    headless: true,
    viewport: { width: 1_000, height: 900 },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
