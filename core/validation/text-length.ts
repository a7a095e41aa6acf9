import type { CodeKeywordDefinition } from 'ajv'

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

/** Surrogate pairs count once. An iterator over 20 MB of text would block the event loop for half a second. */
export function characters(text: string): number {
  if (!highSurrogate.test(text)) return text.length
  let pairs = 0
  for (let index = 1; index < text.length; index++) {
    if ((text.charCodeAt(index) & 0xfc00) !== 0xdc00 || (text.charCodeAt(index - 1) & 0xfc00) !== 0xd800) continue
    pairs += 1
    // The next unit cannot end another pair.
    index += 1
  }
  return text.length - pairs
}

const highSurrogate = /[\ud800-\udbff]/
