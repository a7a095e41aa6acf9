import t from 'tap'
import { bodyValidator } from '../../../core/validation/body-validator.ts'

t.test('a wrong type is told with all types that are right', t => {
  const validate = bodyValidator({
    type: 'object',
    properties: { name: { type: ['string', 'null'] }, list: { anyOf: [{ type: 'string' }, { type: 'array' }] } },
  })
  const messageOf = (body: object): string => {
    try {
      validate(body)
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  t.equal(messageOf({ name: 5 }), "Invalid type for 'name': expected a string or null, but got 5.")
  t.equal(messageOf({ list: 5 }), "Invalid type for 'list': expected a string or an array, but got 5.")
  t.equal(messageOf({ name: null, list: [] }), '')
  t.end()
})
