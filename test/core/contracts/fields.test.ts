import t from 'tap'
import { accountFields } from '../../../core/contracts/account-fields.ts'
import type { BodyOf, Shown, ShownObject, WithAbsent, WithNulls } from '../../../core/contracts/field-types.ts'
import { fieldsOf, shownName, snakeCase, type Fields, type Json } from '../../../core/contracts/fields.ts'
import { keyFields } from '../../../core/contracts/key-fields.ts'
import { recordFields, recordFilters } from '../../../core/contracts/record-fields.ts'

const plot = {
  id: { type: 'text', about: '' },
  soilKind: { type: 'text', choices: ['clay', 'sand'], optional: true, set: 'always', about: '' },
  sownAt: { type: 'time', shownAs: 'sown', about: '' },
  isWet: { type: 'flag', optional: true, ifMissing: false, set: 'once', about: '' },
  secret: { type: 'names', shownAs: null, about: '' },
  rows: { type: 'json' as Json<readonly number[], { readonly count: number }>, optional: true, about: '' },
  yieldKg: { type: 'number', optional: true, computed: true, about: '' },
} as const satisfies Fields

t.test('types follow from a list', async t => {
  const absent: WithAbsent<typeof plot> = { id: 'a', soilKind: undefined, sownAt: 1, secret: ['x'], rows: [1, 2] }
  const nulls: WithNulls<typeof plot> = { id: 'a', soilKind: 'clay', sownAt: 1, isWet: null, secret: [], rows: null }
  const shown: ShownObject<typeof plot> = { id: 'a', soil_kind: null, sown: 'then', is_wet: false, rows: { count: 2 }, yield_kg: null }
  const body: BodyOf<typeof plot> = { soil_kind: null, is_wet: true }
  // @ts-expect-error: no choice
  const chalk: Shown<typeof plot.soilKind> = 'chalk'
  // @ts-expect-error: a flag with a value for a missing one is never null
  const wet: Shown<typeof plot.isWet> = null
  // @ts-expect-error: callers do not set it
  const sown: BodyOf<typeof plot> = { sown: 'now' }
  t.ok([absent, nulls, shown, body, chalk, sown].every(Boolean) && wet === null)
})

t.test('names in the admin API', async t => {
  t.equal(snakeCase('maxOutputTokens'), 'max_output_tokens')
  t.same(
    Object.entries<Fields[string]>(plot).map(([name, field]) => shownName(name, field)),
    ['id', 'soil_kind', 'sown', 'is_wet', null, 'rows', 'yield_kg'],
  )
  t.same(Object.keys(fieldsOf(plot, ({ set }) => set !== undefined)), ['soilKind', 'isWet'])
  t.match(recordFilters, { key: 'keyId', org: 'org', team: 'team', user: 'user', model: 'model', provider: 'provider' })
})

t.test('the lists fit together', async t => {
  for (const [list, fields] of Object.entries<Fields>({ recordFields, keyFields, accountFields })) {
    const shown = Object.entries(fields).flatMap(([name, field]) => shownName(name, field) ?? [])
    t.equal(new Set(shown).size, shown.length, `${list}: every name in the admin API once`)
    const options = Object.values(fields).flatMap(({ option }) => option?.split(' ')[0] ?? [])
    t.equal(new Set(options).size, options.length, `${list}: every option once`)
    for (const [name, { about, option, set, computed, ifMissing, optional }] of Object.entries(fields)) {
      t.match(about, /^[A-Z].*\.$/s, `${list}.${name} is explained in sentences`)
      if (option !== undefined) t.equal(set, 'always', `${list}.${name}: what an option sets, a caller may set`)
      if (ifMissing !== undefined) t.ok(optional, `${list}.${name}`)
      if (computed) t.equal(set, undefined, `${list}.${name}`)
    }
  }
})
