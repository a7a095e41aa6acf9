// Writes the pages that are generated from code: `npm run docs`.

import { writeFileSync } from 'node:fs'
import { reliabilityPage } from '../test/gateway/reliability/page.ts'
import { configurationPage } from './configuration-page.ts'
import { pluginsPage } from './contracts-table.ts'
import { fieldsPage } from './fields-page.ts'
import { llmsPage } from './llms-page.ts'
import { providersPage } from './providers-page.ts'

writeFileSync(new URL('../docs/configuration.md', import.meta.url), await configurationPage())
writeFileSync(new URL('../docs/fields.md', import.meta.url), fieldsPage())
writeFileSync(new URL('../llms.txt', import.meta.url), llmsPage())
writeFileSync(new URL('../docs/plugins.md', import.meta.url), pluginsPage())
writeFileSync(new URL('../docs/providers.md', import.meta.url), providersPage())
writeFileSync(new URL('../docs/reliability.md', import.meta.url), await reliabilityPage())
