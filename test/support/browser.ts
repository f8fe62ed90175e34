import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

/** Debian's. */
const CHROMIUM = '/usr/bin/chromium';

/** A browser with an empty profile, removed when it is closed, that talks to nobody but the pages under test. */
export async function launchBrowser(options: {
  readonly colorScheme: 'light' | 'dark';
  /** Of the reader, such as `America/New_York`. */
  readonly timezoneId?: string;
  /** What the browser says that it is. */
  readonly userAgent?: string;
}): Promise<BrowserContext> {
  const profile = mkdtempSync(join(tmpdir(), 'tidegate-browser-'));
  const browser = await chromium.launchPersistentContext(profile, {
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
  const close = browser.close.bind(browser);
  // not on the event `close`, after which Chromium still writes to it
  browser.close = async options => {
    await close(options);
    rmSync(profile, { recursive: true, force: true });
  };
  return browser;
}
