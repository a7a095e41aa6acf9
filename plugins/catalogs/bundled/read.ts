import { readFileSync } from 'node:fs'
import { lazyValidator } from '../../../core/kit.ts'
import { packedCatalogSchema, type PackedCatalog, type PackedModel } from './format.ts'

/** The catalog that ships with the gateway. `npm run catalog` created it, so it is not checked. */
export function bundledCatalog(): PackedCatalog {
  return JSON.parse(read()) as PackedCatalog
}

/**
 * The bundled catalog with only the models of these providers. Every start reads the catalog, and most gateways use few providers, so the
 * other models are never parsed.
 */
export function bundledCatalogOf(isLoaded: (provider: string) => boolean): PackedCatalog {
  const text = read()
  const start = text.indexOf(beforeModels) + beforeModels.length
  const catalog = JSON.parse(`${text.slice(0, start)}]}`) as PackedCatalog
  const places = catalog.providers.flatMap((provider, index) => (isLoaded(provider) ? [index + 1] : []))
  if (places.length === 0) return catalog
  const lines = text.slice(start).match(new RegExp(`^.*\\[(?:${places.join('|')}),\\d.*$`, 'gm')) ?? []
  return { ...catalog, models: lines.map(line => JSON.parse(line.replace(/,$/, '')) as PackedModel) }
}

/** One line per model follows. */
const beforeModels = '"models":[\n'

function read(): string {
  return readFileSync(new URL('models.json', import.meta.url), 'utf8')
}

const validator = lazyValidator<PackedCatalog>(packedCatalogSchema, { name: 'catalog', options: { strict: true, strictTuples: false } })

/** Checks a catalog from elsewhere. Errors say where it is wrong and what was expected there. */
export function checkedCatalog(value: unknown): PackedCatalog {
  const validate = validator()
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
