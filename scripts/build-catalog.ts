// Builds the bundled catalog of models and prices: `npm run catalog`. Needs only Node.js and access to the npm registry.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { genaiPrices } from './catalog/genai-prices.ts'
import { mastra } from './catalog/mastra.ts'
import { mergeListings } from './catalog/merge.ts'
import { groupOffers } from './catalog/models.ts'
import { pack, print } from './catalog/pack.ts'
import { notices, unpack } from './catalog/packages.ts'
import { piAi } from './catalog/pi-ai.ts'
import { piCatalog } from './catalog/pi-catalog.ts'
import { inOrder } from './catalog/preference.ts'
import { served } from './catalog/provider-names.ts'
import { report } from './catalog/report.ts'
import { Tally } from './catalog/tally.ts'
import { completed } from './catalog/vendor-rules.ts'

const today = new Date().toISOString().slice(0, 10)
const temporary = mkdtempSync(join(tmpdir(), 'turnpike-catalog-'))
try {
  const folders = unpack(temporary)
  const tally = new Tally()
  const fromPiAi = piAi(folders.piAi, tally)
  const fromPiCatalog = piCatalog(folders.piCatalog, tally)
  const known = new Set([...fromPiAi, ...fromPiCatalog].map(({ provider }) => provider))
  const offers = mergeListings({
    piAi: fromPiAi,
    piCatalog: fromPiCatalog,
    mastra: mastra(folders.mastra, known, tally),
    genaiPrices: await genaiPrices(folders.genaiPrices, today),
  })
  const groups = inOrder(groupOffers(offers.map(completed), tally))
  const catalog = pack(groups, today, notices(folders))
  const text = print(catalog)
  writeFileSync(new URL('../plugins/catalogs/bundled/models.json', import.meta.url), text)
  console.log([...report(catalog, text, served), ...tally.report()].join('\n'))
} finally {
  rmSync(temporary, { recursive: true })
}
