/** `npm run docs`: writes the pages that are made of the sources. */
import { writeFileSync } from 'node:fs';
import { configurationPage } from './page.ts';

writeFileSync(new URL('../../../docs/configuration.md', import.meta.url), configurationPage());
