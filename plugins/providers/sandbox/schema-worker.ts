import { parentPort } from 'node:worker_threads'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { generateSync } from 'json-schema-faker'

// The worker thread for callers' schemas. json-schema-faker proposes values, and ajv validates them.

type Schema = Parameters<typeof generateSync>[0]
export type Found = { readonly value: unknown } | { readonly problem: string }

const seeds = 16
/** The most members and items to simplify. */
const maxPlain = 200

parentPort!.on('message', (schema: Schema) => parentPort!.postMessage(find(withoutDraft(schema))))
// The first value takes much longer than the others, because the libraries only start then. That is not the schema's fault.
find({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] })
parentPort!.postMessage('ready')

/** Clients name several drafts in `$schema`, and ajv refuses the names that it does not know. */
function withoutDraft(schema: Schema): Schema {
  if (typeof schema === 'boolean') return schema
  const { $schema: _, ...rest } = schema
  return rest
}

function find(schema: Schema): Found {
  try {
    return firstValid(schema, new Ajv2020({ strict: false, validateFormats: false, logger: false, ownProperties: true }).compile(schema))
  } catch (error) {
    return { problem: error instanceof RangeError ? 'it refers to itself endlessly' : 'it is not a valid schema' }
  }
}

/** Tries with all optional members first, to show most of the schema, then without them, in case they conflict. */
function firstValid(schema: Schema, validate: ValidateFunction): Found {
  for (const alwaysFakeOptionals of [true, false])
    for (let seed = 1; seed <= seeds; seed++) {
      const value = proposal(schema, seed, alwaysFakeOptionals)
      if (value !== undefined && validate(value)) return { value: plain(value, validate) }
    }
  return { problem: `none of ${2 * seeds} proposals fits` }
}

function proposal(schema: Schema, seed: number, alwaysFakeOptionals: boolean): unknown {
  try {
    return generateSync(schema, { seed, alwaysFakeOptionals, maxDepth: 4, refDepthMax: 3 })
  } catch {
    return undefined
  }
}

/** Replaces random words with their member's name and random numbers with 1, wherever the schema allows. */
function plain(value: unknown, validate: ValidateFunction): unknown {
  const root = { value }
  let left = maxPlain
  const visit = (holder: Record<string, unknown>, key: string, name: string): void => {
    const found = holder[key]
    if (left-- <= 0) return
    if (typeof found === 'object' && found !== null) {
      for (const inner of Object.keys(found))
        visit(
          found as Record<string, unknown>,
          inner,
          Array.isArray(found) ? `${name}${Number(inner) > 0 ? Number(inner) + 1 : ''}` : inner,
        )
      return
    }
    const wanted = typeof found === 'string' ? name : typeof found === 'number' ? 1 : found
    holder[key] = wanted
    if (wanted !== found && !validate(root.value)) holder[key] = found
  }
  visit(root, 'value', 'text')
  return root.value
}
