import { expect, it } from 'vitest';
import { type RunbookAccess, runbookBody } from '../../../../src/admin/alerts/runbook-body.ts';
import { alertNames } from '../../../../src/alerts/rules/rule-description.ts';

const access: RunbookAccess = { adminUrl: 'http://127.0.0.1:9090', needsToken: false };

/** The section of one rule. */
function sectionOf(body: string, name: string): string {
  const [section = ''] = new RegExp(`<section [^>]*id="${name}".*?</section>`, 's').exec(body) ?? [];
  expect(section).not.toBe('');
  return section;
}

it('has a line in the index and a section for each name, each once', () => {
  const body = runbookBody({}, access);
  const indexed = Array.from(body.matchAll(/<li data-rule="(\w+)"><a href="#(\w+)">/g), ([, rule, href]) => [
    rule,
    href,
  ]);
  expect(indexed).toEqual(alertNames.map(name => [name, name]));
  const sections = Array.from(
    body.matchAll(/<section [^>]*id="(\w+)" data-rule="(\w+)"/g),
    ([, id, rule]) => [id, rule],
  );
  expect(sections).toEqual(indexed);
});

it('has a section for writes, to which rules that concern them lead', () => {
  const body = runbookBody({}, access);
  expect(body).toContain('<li><a href="#writes">Writes</a></li>');
  const writes = sectionOf(body, 'writes');
  for (const words of [
    'is not tried again',
    'tidegate purge BUCKET KEY',
    'RequestTimeout',
    'AbortMultipartUpload',
  ])
    expect(writes).toContain(words);
  for (const rule of ['backendUnreachable', 'backendErrors', 'backendTimeouts'])
    expect(sectionOf(body, rule)).toContain('(see <a href="#writes">Writes</a>)');
});

it('escapes what becomes part of the page', () => {
  const adminUrl = 'http://a/?"<script>&';
  const body = runbookBody({}, { ...access, adminUrl });
  expect(body).not.toContain('<script>');
  expect(body).toContain('http://a/?');
  const outsideTags = body.replace(/<[^>]*>/g, '');
  expect(outsideTags).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot|apos|#\w+);)/);
});

it('passes the token in the commands that ask the admin port, only where it is needed', () => {
  const header = '-H "authorization: Bearer $TIDEGATE_ADMIN_TOKEN"';
  const plain = (html: string) => html.replaceAll('&quot;', '"').replaceAll('&#34;', '"');
  expect(plain(runbookBody({}, access))).not.toContain(header);
  const commands = plain(runbookBody({}, { ...access, needsToken: true })).match(/curl -s [^<]*</g) ?? [];
  expect(commands.length).toBeGreaterThan(1);
  for (const command of commands) expect(command).toContain(header);
});

it('says that a rule is off, or how its end is seen and what its settings are', () => {
  const on = sectionOf(runbookBody({}, access), 'cacheThrash');
  expect(on).toContain('tidegate_alerts_firing{rule="cacheThrash"}');
  expect(on).toContain('<dl class="settings">');
  expect(on).not.toContain('This rule is off.');
  const off = sectionOf(runbookBody({ cacheThrash: false }, access), 'cacheThrash');
  expect(off).toContain('This rule is off.');
  expect(off).not.toContain('tidegate_alerts_firing{rule=');
  expect(off).not.toContain('<dl class="settings">');
});

it('tells of no end for a notice, which has none', () => {
  expect(sectionOf(runbookBody({}, access), 'heartbeat')).not.toContain('tidegate_alerts_firing{rule=');
});
