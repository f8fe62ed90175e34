import { gatewaySchema } from '../../../src/config/gateway-schema.ts';
import { type Absent, type ConfigurationRow, configurationRows } from './rows.ts';

const head = `# Configuration reference

Every key that the configuration may have, what it takes and its default, made of the schema by \`npm run docs\`: do not edit it by
hand. [config/example.yaml](../config/example.yaml) tells what each is for. \`<name>\` is a name of your own, \`[]\` an item of a list.
Where a key takes a map or a list of such maps, the keys of the map follow it. The last column says what holds where a key is left
out; **required** is a key without which its map is refused, and an empty cell means none. An unknown key is an error.
`;

/** The text of docs/configuration.md. */
export function configurationPage(): string {
  const sections = new Map<string, string[]>();
  for (const row of configurationRows(gatewaySchema({}))) {
    const heading = headingOf(row);
    sections.set(heading, [...(sections.get(heading) ?? []), lineOf(row)]);
  }
  const tables = Array.from(
    sections,
    ([heading, rows]) => `\n${heading}\n\n| key | takes | default |\n|---|---|---|\n${rows.join('\n')}\n`,
  );
  return head + tables.join('');
}

/** A map that comes in several forms has a table for each of them, below that of the key that tells them apart. */
function headingOf({ path, forms }: ConfigurationRow): string {
  const section = path.split(/[.[]/, 1)[0] ?? '';
  return forms[0] === undefined ? `## ${section}` : `### ${section} with \`${forms[0]}\``;
}

function lineOf({ path, takes, forms, absent }: ConfigurationRow): string {
  const within = forms.slice(1).map(form => `, with \`${cell(form)}\``);
  return `| \`${path}\` | ${cell(takes)}${within.join('')} | ${absentCell(absent)} |`;
}

function absentCell(absent: Absent): string {
  if (absent.kind === 'refused') return '**required**';
  if (absent.kind === 'value')
    return `\`${cell(absent.value)}\`${absent.atWebOrigin === undefined ? '' : `; at web origins ${cell(absent.atWebOrigin)}`}`;
  return absent.kind === 'words' ? cell(absent.words) : '';
}

/** Text of a table: a bar would end the cell, and what looks like a tag would not be shown. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}
