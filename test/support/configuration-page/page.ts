import { gatewaySchema } from '../../../src/config/gateway-schema.ts';
import { configurationRows } from './rows.ts';

const head = `# Configuration reference

Every key that the configuration may have, what it takes and its default, made of the schema by \`npm run docs\`: do not edit it by
hand. [config/example.yaml](../config/example.yaml) tells what each is for. \`<name>\` is a name of your own, \`[]\` an item of a list.
Where a key takes a map or a list of such maps, the keys of the map follow it. A key without a default is required, may be
left out, or has one that depends on other keys, as the example says. An unknown key is an error.
`;

/** The text of docs/configuration.md. */
export function configurationPage(): string {
  const sections = new Map<string, string[]>();
  for (const { path, takes, fallback } of configurationRows(gatewaySchema({}))) {
    const section = path.split(/[.[]/, 1)[0] ?? '';
    const row = `| \`${path}\` | ${cell(takes)} | ${fallback === undefined ? '' : `\`${cell(fallback)}\``} |`;
    sections.set(section, [...(sections.get(section) ?? []), row]);
  }
  const tables = Array.from(
    sections,
    ([name, rows]) => `\n## ${name}\n\n| key | takes | default |\n|---|---|---|\n${rows.join('\n')}\n`,
  );
  return head + tables.join('');
}

/** Text of a table: a bar would end the cell, and what looks like a tag would not be shown. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}
