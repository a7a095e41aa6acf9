import type { CodeKeywordDefinition } from 'ajv'
import { characters } from './characters.ts'

/**
 * `minLength` and `maxLength` in Unicode characters, as JSON Schema requires. ajv's own versions count every text from start to end,
 * which for a conversation costs more than all other rules together. A text has between half as many and as many characters as code
 * units, so only texts near the limit need counting.
 */
export function textLengths({ _, str }: typeof import('ajv')): readonly CodeKeywordDefinition[] {
  // How a validator that the build compiled finds the function.
  const counting = { ref: characters, code: _`references.characters` }
  return [
    {
      keyword: 'maxLength',
      type: 'string',
      schemaType: 'number',
      error: { message: ({ schemaCode }) => str`must NOT have more than ${schemaCode} characters` },
      code(context) {
        const { data, schemaCode: limit, gen } = context
        const count = gen.scopeValue('func', counting)
        context.fail(_`${data}.length > ${limit} && (${data}.length > 2 * ${limit} || ${count}(${data}) > ${limit})`)
      },
    },
    {
      keyword: 'minLength',
      type: 'string',
      schemaType: 'number',
      error: { message: ({ schemaCode }) => str`must NOT have fewer than ${schemaCode} characters` },
      code(context) {
        const { data, schemaCode: limit, gen } = context
        const count = gen.scopeValue('func', counting)
        context.fail(_`${data}.length < 2 * ${limit} && (${data}.length < ${limit} || ${count}(${data}) < ${limit})`)
      },
    },
  ]
}
