import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { plainSse } from '../../plugins/providers/oracle/plain-sse.ts'

/** Says what of a reply is not valid by the types that its vendor published; nothing where they are absent. */
export type Validate = (body: Uint8Array, stream: boolean) => readonly string[]

const folder = join(import.meta.dirname, '../../../../shared/wire-schemas')

/** `whole`, `event`: the names of the types; one of several is enough. `skip`: what is not checked, such as events that clients pass over. */
export function validator(
  file: string,
  whole: readonly string[],
  event: readonly string[],
  skip: (said: { readonly type?: string }) => boolean = () => false,
): Validate {
  const path = join(folder, file)
  if (!existsSync(path)) return () => []
  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false, logger: false })
  const text = readFileSync(path, 'utf8').replaceAll('"oneOf"', '"anyOf"')
  ajv.addSchema(JSON.parse(text, inJsonSchema) as object, 'published')
  const oneOf = (names: readonly string[]) => ajv.compile({ anyOf: names.map(name => ({ $ref: `published#/$defs/${name}` })) })
  const isWhole = oneOf(whole)
  const isEvent = oneOf(event)
  return (body, stream) => {
    const check = stream ? isEvent : isWhole
    const said = stream ? plainSse(body) : [JSON.parse(Buffer.from(body).toString('utf8')) as unknown]
    return said.flatMap(each =>
      skip(each as object) || check(each)
        ? []
        : `not valid: ${JSON.stringify(each).slice(0, 300)} ${ajv.errorsText(check.errors).slice(0, 400)}`,
    )
  }
}

/** Schemas of OpenAPI say in a word of their own that null is allowed. */
function inJsonSchema(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('nullable' in value)) return value
  const { nullable, ...schema } = value
  return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema
}
