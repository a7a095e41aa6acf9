import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { JsonObject } from '../../../../core/index.ts'

const file = join(import.meta.dirname, '../../../../../shared/wire-schemas/gemini.v1beta.openapi.json')
let validate: ValidateFunction | undefined

/** What the vendor's published description denies in a reply: of each response in it, whether it is whole, a list or events. */
export function faultsOf(text: string): readonly string[] {
  if (!existsSync(file)) return []
  validate ??= compiled()
  return responsesIn(text).flatMap(response =>
    validate!(response)
      ? []
      : validate!.errors!.map(
          ({ instancePath, message, params }) => `${instancePath.replaceAll(/\d+/g, 'n')} ${message} ${JSON.stringify(params)}`,
        ),
  )
}

export function responsesIn(text: string): readonly JsonObject[] {
  if (/^\s*[[{]/.test(text)) return [JSON.parse(text) as JsonObject | JsonObject[]].flat()
  return text
    .split(/\r?\n\r?\n|\n(?=data: )/)
    .filter(frame => frame.trim() !== '')
    .map(frame => JSON.parse(frame.trim().replace(/^data: /, '')) as JsonObject)
}

function compiled(): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, allErrors: true })
  ajv.addSchema(JSON.parse(readFileSync(file, 'utf8')) as object, 'gemini')
  return ajv.compile({ $ref: 'gemini#/components/schemas/GenerateContentResponse' })
}
