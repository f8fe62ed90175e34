import { createHash } from 'node:crypto';
import { alertNames, describeRule } from '../../alerts/rules/rule-description.ts';
import { type AlertOptions, type RuleSetting, settingsOf } from '../../alerts/rules/rule-settings.ts';
import { describeDuration } from '../../alerts/wording.ts';
import type { AdminRoute } from '../admin-route.ts';

const STYLE = `
:root { color-scheme: light dark; --text: light-dark(#1b2529, #f0f3f4); --subtle: light-dark(#5b6a70, #a4b0b5);
  --line: light-dark(#dfe6e8, #38454a); --surface: light-dark(#fff, #1f292d); --ground: light-dark(#eef3f4, #141b1e) }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 4rem }
section { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.25rem;
  margin: 1rem 0; scroll-margin-top: 1rem }
section:target { outline: 2px solid light-dark(#0e6f7c, #5cc8d7) }
h2 { margin: 0; font-size: 1.1rem }
code { color: var(--subtle) }
a { color: light-dark(#0e6f7c, #5cc8d7) }
dl { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: .5rem 0 0; font-size: .9rem }
dl div { display: flex; gap: .4rem } dt { color: var(--subtle) } dd { margin: 0 }
`;

/** `GET /runbook`: what each rule means and what to do, with the current settings; cards link to `#RULE`. */
export function runbookRoute(options: AlertOptions): AdminRoute {
  const page = Buffer.from(runbook(options));
  const style = `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-length': page.byteLength,
    'content-security-policy': `default-src 'none'; style-src ${style}; base-uri 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  };
  return {
    method: 'GET',
    path: '/runbook',
    open: true,
    handle: (_request, response) => void response.writeHead(200, headers).end(page),
  };
}

/** Needs no escaping: the texts are our own, and the settings were validated with the configuration. */
function runbook(options: AlertOptions): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Tidegate: runbook</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Runbook</h1>
<p><a href="/">Status</a></p>
<p>What each alert means and what to look at first. Names and settings are those of <code>alerts.rules</code>.</p>
${alertNames.map(name => entry(name, options)).join('\n')}
</main>
</body>
</html>
`;
}

function entry(name: string, options: AlertOptions): string {
  const { title, advice } = describeRule(name);
  const settings = settingsOf(name, options);
  const shown = settings === 'off' ? '<p>It is off.</p>' : `<dl>${settings.map(setting).join('')}</dl>`;
  return `<section id="${name}">
<h2>${title}</h2>
<p><code>${name}</code></p>
<p>${advice}</p>
${shown}
</section>`;
}

function setting({ name, kind, value }: RuleSetting): string {
  const shown = kind === 'duration' ? describeDuration(Number(value)) : value;
  return `<div><dt>${name}</dt><dd>${shown}</dd></div>`;
}
