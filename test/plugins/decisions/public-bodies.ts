import fc from 'fast-check'
import type { JsonObject } from '../../../core/index.ts'

const word = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('true', 'false', '0', '10', '__proto__', 'question_1', 'true (boolean)', '#1'),
)
export const textPart = fc.record({ type: fc.constant('input_text'), text: word })
export const jsonPart = fc.record({
  type: fc.constant('input_json'),
  data: fc.dictionary(word, fc.jsonValue({ maxDepth: 1 }), { noNullPrototype: true }),
})
export const imagePart = fc.record({ type: fc.constant('input_image'), image_url: fc.constant('data:image/png;base64,AA==') })
const parts = (...kinds: readonly fc.Arbitrary<object>[]): fc.Arbitrary<readonly object[]> =>
  fc.array(fc.oneof(...kinds), { minLength: 1, maxLength: 3 })

const message = (...kinds: readonly fc.Arbitrary<object>[]): fc.Arbitrary<object> =>
  fc.record({ type: fc.constant('message'), role: fc.constant('user'), content: fc.oneof(word, parts(...kinds)) })
const call = word.map(text => [
  { type: 'function_call', call_id: 'c', name: 'f', arguments: text },
  { type: 'function_call_output', call_id: 'c', output: text },
])

const named = { name: fc.option(word, { nil: undefined }) }
const description = fc.option(word, { nil: undefined })
const question = (...kinds: readonly fc.Arbitrary<object>[]): fc.Arbitrary<object> => {
  const instructions = fc.oneof(word, parts(...kinds))
  return fc.oneof(
    fc.record({ type: fc.constant('predicate'), ...named, instructions }),
    fc.record({
      type: fc.constant('choice'),
      ...named,
      instructions,
      choices: fc.uniqueArray(fc.record({ value: fc.oneof(word, fc.boolean()), description }), {
        selector: ({ value }) => value,
        minLength: 2,
        maxLength: 6,
      }),
    }),
    fc.record({
      type: fc.constant('score'),
      ...named,
      instructions,
      levels: fc.array(fc.record({ label: word, description }), { minLength: 1, maxLength: 12 }),
    }),
  )
}

/** A body of the public Decisions API, with these kinds of parts. */
export const publicBody = (...kinds: readonly fc.Arbitrary<object>[]): fc.Arbitrary<JsonObject> =>
  fc
    .record({
      model: fc.constant('sandbox/dm'),
      input: fc.oneof(
        word,
        fc
          .array(
            fc.oneof(
              message(...kinds).map(item => [item]),
              call,
            ),
            { minLength: 1, maxLength: 3 },
          )
          .map(lists => lists.flat()),
      ),
      questions: fc.array(question(...kinds), { minLength: 1, maxLength: 6 }),
    })
    .map(sent)

/** As it comes out of JSON. */
export function sent<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
