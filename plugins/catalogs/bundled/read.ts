import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { packedCatalogSchema, type PackedCatalog } from './format.ts'

/** The catalog that ships with the gateway. `npm run catalog` created it, so it is not checked. */
export function bundledCatalog(): PackedCatalog {
  return JSON.parse(readFileSync(new URL('models.json', import.meta.url), 'utf8')) as PackedCatalog
}

/** Checks a catalog from elsewhere. Errors say where it is wrong and what was expected there. */
export function checkedCatalog(value: unknown): PackedCatalog {
  const validate = new Ajv({ strict: true, strictTuples: false, allErrors: false }).compile<PackedCatalog>(packedCatalogSchema)
  if (!validate(value)) {
    const [{ instancePath, message } = { instancePath: '', message: 'is not a catalog' }] = validate.errors ?? []
    throw new Error(`${instancePath || 'the catalog'} ${message}`)
  }
  checkPlaces(value)
  return value
}

/** Positions must be inside their list, and every model is listed once. */
function checkPlaces({ models, providers, capabilities, prices }: PackedCatalog): void {
  const seen = new Set<string>()
  for (const [index, { id, at }] of models.entries()) {
    if (seen.has(id)) throw new Error(`/models/${index} describes "${id}" a second time`)
    seen.add(id)
    for (const [place, [provider, capability, price]] of at.entries()) {
      const isKnown = provider >= 1 && provider <= providers.length && capability <= capabilities.length && price <= prices.length
      if (!isKnown) throw new Error(`/models/${index}/at/${place} refers to a place beyond the lists`)
    }
  }
}
