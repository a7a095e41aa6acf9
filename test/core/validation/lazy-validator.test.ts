import t from 'tap'
import { announcedSchemas, fingerprint, lazyValidator, type AnnouncedSchema } from '../../../core/validation/lazy-validator.ts'
import { characters } from '../../../core/validation/characters.ts'
import type { SchemaRules } from '../../../core/validation/schema-rules.ts'

const rules: SchemaRules = { name: 'test', options: { strict: true }, formats: { even: (text: string) => text.length % 2 === 0 } }

t.test('a schema is announced at once and compiled at the first use, once', async t => {
  const announced: AnnouncedSchema[] = []
  const listen = (message: unknown): void => void announced.push(message as AnnouncedSchema)
  announcedSchemas.subscribe(listen)
  t.teardown(() => announcedSchemas.unsubscribe(listen))
  const schema = { type: 'string', format: 'even' }
  const validator = lazyValidator(schema, rules)
  t.same(announced, [{ schema, rules }])
  const validate = validator()
  t.equal(validator(), validate)
  t.ok(validate('four'))
  t.notOk(validate('three'))
  t.match(validate.errors, [{ keyword: 'format', params: { format: 'even' } }])
})

t.test('a schema that ajv refuses is an error of the first use', async t => {
  const validator = lazyValidator({ type: 'strange' }, rules)
  t.throws(validator, /schema is invalid/)
  t.throws(validator, /schema is invalid/, 'and of every other')
  t.ok(lazyValidator({ type: 'string' }, rules)()('text'), 'others are not affected')
})

t.test('schemas with the same id do not meet', async t => {
  const one = lazyValidator({ $id: 'https://example.com/schema', type: 'string' }, rules)()
  const other = lazyValidator({ $id: 'https://example.com/schema', type: 'number' }, rules)()
  t.ok(one('text'))
  t.ok(other(1))
})

t.test('the fingerprint tells schemas and rules apart', async t => {
  t.equal(fingerprint({ type: 'string' }, rules), fingerprint({ type: 'string' }, rules))
  t.not(fingerprint({ type: 'string' }, rules), fingerprint({ type: 'number' }, rules))
  t.not(fingerprint({ type: 'string' }, rules), fingerprint({ type: 'string' }, { ...rules, name: 'other' }))
})

t.test('lengths count characters', async t => {
  const validate = lazyValidator({ type: 'string', minLength: 2, maxLength: 3 }, { name: 'lengths', options: {}, countsCharacters: true })()
  for (const [text, fits] of [
    ['', false],
    ['😀', false],
    ['😀😀', true],
    ['a😀b', true],
    ['😀😀😀', true],
    ['😀😀😀😀', false],
    ['\ud83d\ud83d', true],
  ] as const)
    t.equal(validate(text), fits, `${text} has ${characters(text)}`)
})
