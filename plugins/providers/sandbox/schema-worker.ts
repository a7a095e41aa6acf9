import { parentPort } from 'node:worker_threads'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { generateSync } from 'json-schema-faker'

// The program of the thread in which callers' schemas run. json-schema-faker proposes values, and ajv decides.

type Schema = Parameters<typeof generateSync>[0]
export type Found = { readonly value: unknown } | { readonly problem: string }

const seeds = 16
/** Members and items that are made plain. */
const mostPlain = 200

parentPort!.on('message', (schema: Schema) => parentPort!.postMessage(find(withoutDraft(schema))))
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
    return { problem: error instanceof RangeError ? 'it refers to itself without end' : 'it is not a schema that can be used' }
  }
}

/** With all optional members first, since that shows most of a schema; without them where they contradict one another. */
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

/** Random words and numbers become the name of their member and 1, wherever the schema lets them. */
function plain(value: unknown, validate: ValidateFunction): unknown {
  const root = { value }
  let left = mostPlain
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
