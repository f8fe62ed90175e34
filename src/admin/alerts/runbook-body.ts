import { alertNames, describeRule } from '../../alerts/rules/rule-description.ts';
import { type AlertOptions, type RuleSetting, settingsOf } from '../../alerts/rules/rule-settings.ts';
import { isRuleName } from '../../alerts/rules/rule-table.ts';
import { type RunbookStep, stepsOf, writeSteps } from '../../alerts/rules/runbook-steps.ts';
import { describeDuration } from '../../base/time-text.js';
import { escapeText } from '../../s3/xml-text.ts';

/** How the commands of the runbook reach the admin port. */
export interface RunbookAccess {
  /** Such as `http://127.0.0.1:9090`; the page puts the address there under which it was opened. */
  readonly adminUrl: string;
  /** Whether requests need the bearer token. */
  readonly needsToken: boolean;
}

/** The runbook from `<main>` on: the index, then one section for each rule. */
export function runbookBody(rules: AlertOptions, access: RunbookAccess): string {
  return `<main>
<section class="panel entry" id="index">
<h1>Runbook</h1>
<p class="subtle">What each alert means, what to run, and how its end is seen. Names and settings are those of <code>alerts.rules</code>.</p>
<p id="summary" class="summary" role="status" hidden></p>
<p id="locked" class="row" hidden>Which alerts fire is shown with the token of the admin port. <button id="unlock" type="button">Enter the token</button></p>
<ul class="index">
${alertNames.map(indexLine).join('\n')}
<li><a href="#writes">Writes</a></li>
</ul>
</section>
${alertNames.map(name => section(name, rules, access)).join('\n')}
${aboutWrites(access)}
</main>`;
}

function indexLine(name: string): string {
  const title = escapeText(describeRule(name).title);
  return `<li data-rule="${name}"><a href="#${name}">${title}</a> <code>${name}</code><span class="now"></span></li>`;
}

function section(name: string, rules: AlertOptions, access: RunbookAccess): string {
  const { title, advice } = describeRule(name);
  const settings = settingsOf(name, rules);
  return `<section class="panel entry rule" id="${name}" data-rule="${name}">
<h2>${escapeText(title)} <code>${name}</code></h2>
<ul class="firing marked" hidden></ul>
<p>${linkedToWrites(escapeText(advice))}</p>
${stepsOf(name)
  .map(step => stepHtml(step, access))
  .join('\n')}
${settings === 'off' ? '' : ending(name, settings)}
${settings === 'off' ? '<p>This rule is off.</p>' : `<dl class="settings">${settings.map(setting).join('')}</dl>`}
<p class="back"><a href="#index">All rules</a> <a href="/">Status</a></p>
</section>`;
}

/** Cards name the section, since they are not on this page. */
function linkedToWrites(advice: string): string {
  return advice.replace('see Writes in the runbook', 'see <a href="#writes">Writes</a>');
}

/** Most of it happens to single clients, so that no rule watches it. */
function aboutWrites(access: RunbookAccess): string {
  return `<section class="panel entry" id="writes">
<h2>Writes</h2>
<p>A write that fails is not tried again, unless nothing of it was sent: its client has to decide. What to look for when a client complains, and after the store was unreachable or slow:</p>
${writeSteps.map(step => stepHtml(step, access)).join('\n')}
<p>Parts of uploads that nobody completed take room at the store until they are aborted, which many clients may not do (AbortMultipartUpload and ListMultipartUploads are granted by name): look for them at the store itself, or have it remove them by a lifecycle rule.</p>
<p class="back"><a href="#index">All rules</a> <a href="/">Status</a></p>
</section>`;
}

function stepHtml({ kind, purpose, text }: RunbookStep, access: RunbookAccess): string {
  const name = kind === 'shell' ? 'Shell' : 'PromQL';
  const shown = escapeText(kind === 'shell' ? withToken(text, access) : text).replaceAll(
    'ADMIN_URL',
    `<span class="admin-url">${escapeText(access.adminUrl)}</span>`,
  );
  return `<div class="step">
<p><span class="tag">${name}</span> ${escapeText(purpose)}</p>
<pre tabindex="0"><code>${shown}</code></pre>
</div>`;
}

/** `tidegate` reads the token from the environment by itself. */
function withToken(command: string, { needsToken }: RunbookAccess): string {
  if (!needsToken) return command;
  return command.replaceAll(
    'curl -s ADMIN_URL',
    'curl -s -H "authorization: Bearer $TIDEGATE_ADMIN_TOKEN" ADMIN_URL',
  );
}

/** How one sees that a fix has worked. Notices have no end. */
function ending(name: string, settings: readonly RuleSetting[]): string {
  if (!isRuleName(name)) return '';
  const clearFor = settings.find(each => each.name === 'clearFor');
  const calm = clearFor ? describeDuration(Number(clearFor.value)) : 'a while';
  return `<p>After the fix it ends by itself, once all has been well for ${calm} (longer if it fired several times within the hour): the channel gets a card that says so, it is no longer marked here, and <code>tidegate_alerts_firing{rule="${name}"}</code> is 0.</p>`;
}

function setting({ name, kind, value }: RuleSetting): string {
  const shown = kind === 'duration' ? describeDuration(Number(value)) : String(value);
  return `<div><dt>${escapeText(name)}</dt><dd>${escapeText(shown)}</dd></div>`;
}
