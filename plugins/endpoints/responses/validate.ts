import { Ajv } from 'ajv'
import { requestSchema } from '../../../core/index.ts'
import { complaint } from './complaint.ts'
import { textLengths } from './text-length.ts'

// The schema is the product's own: checking it too would only cost time at every start.
const ajv = new Ajv({
  meta: false,
  validateSchema: false,
  discriminator: true,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
})
for (const definition of textLengths) ajv.removeKeyword(definition.keyword as string).addKeyword(definition)
const validate = ajv.compile(requestSchema)

/** Throws the 400 for the first thing that is wrong. */
export function validateRequest(request: object): void {
  if (!validate(request)) throw complaint(validate.errors!, request, requestSchema)
}
