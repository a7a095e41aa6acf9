// Writes the documentation that follows from the code: `npm run docs`.

import { writeFileSync } from 'node:fs'
import { configurationPage } from './configuration-page.ts'

writeFileSync(new URL('../docs/configuration.md', import.meta.url), await configurationPage())
