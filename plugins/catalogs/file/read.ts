import { readFileSync } from 'node:fs'
import { lazyValidator, type SchemaFault } from '../../../core/kit.ts'
import { catalogSchema, checkEntries, type FileEntries } from './schema.ts'

const validator = lazyValidator<FileEntries>(catalogSchema, {
  name: 'catalog-file',
  options: { allErrors: true, strict: true, verbose: true, useDefaults: true },
  formats: { uri: { type: 'string', validate: (uri: string) => URL.canParse(uri) } },
})

/** Reads the models in a catalog file. Errors name the file, the place in it, and what was expected there. */
export function readCatalogFile(path: string, optional: boolean): FileEntries {
  const text = read(path, optional)
  if (text === undefined) return []
  const entries = parse(text, path)
  const validate = validator()
  if (!validate(entries)) throw new Error(`catalog file ${path}: ${validate.errors!.map(describe).join('; ')}`)
  checkEntries(entries, `catalog file ${path}`)
  return entries
}

function read(path: string, optional: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code !== 'ENOENT') throw new Error(`catalog file ${path} cannot be read (${code})`, { cause })
    if (optional) return undefined
    throw new Error(`catalog file ${path} does not exist. Correct the option path, or set optional: true`, { cause })
  }
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`catalog file ${path} is not JSON: ${(cause as Error).message}`, { cause })
  }
}

/** Such as `/0/endpoints/1/price/input must be number (got "free")`. */
function describe({ instancePath, message, params, data }: SchemaFault): string {
  const place = instancePath || 'the file'
  if (params.additionalProperty !== undefined) return `${place} has the unknown member "${params.additionalProperty}"`
  const values: readonly unknown[] = params.allowedValues ?? ('allowedValue' in params ? [params.allowedValue] : [])
  const allowed = values.length > 0 ? `: ${values.join(', ')}` : ''
  return `${place} ${message}${allowed}${typeof data === 'object' && data !== null ? '' : ` (got ${JSON.stringify(data)})`}`
}
