import { Command } from 'commander'
import t from 'tap'
import { addFieldOptions, addRemovals, bodyOf } from '../../config/admin/field-options.ts'
import type { Fields } from '../../core/stores.ts'

const fields = {
  note: { type: 'text', optional: true, option: '--note <text>', about: 'A note for people.' },
  soilKind: { type: 'text', choices: ['clay', 'sand'], optional: true, option: '--soil <kind>', about: 'The soil.' },
  maxRows: { type: 'integer', optional: true, option: '--max-rows <number>', about: 'The most rows.' },
  cropNames: { type: 'names', optional: true, option: '--crops <a,b>', about: 'The crops.' },
  isWet: { type: 'flag', optional: true, option: '--wet', about: 'It is wet.' },
  depthUsd: { type: 'number', option: '--depth <usd>', about: 'The depth.' },
  internal: { type: 'text', about: 'It has no option.' },
} as const satisfies Fields

function parse(...args: readonly string[]): unknown {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => {} })
  addRemovals(addFieldOptions(command, fields, { depthUsd: text => `$${text}` }), fields)
  return bodyOf(fields, command.parse([...args], { from: 'user' }).opts())
}

t.test('options become the members of a body', async t => {
  t.strictSame(parse(), {})
  t.strictSame(parse('--note', 'hi', '--soil', 'clay', '--max-rows', '3', '--crops', 'a, b', '--wet', '--depth', '5'), {
    note: 'hi',
    soil_kind: 'clay',
    max_rows: 3,
    crop_names: ['a', 'b'],
    is_wet: true,
    depth_usd: '$5',
  })
  t.strictSame(parse('--no-note', '--soil', 'none', '--no-max-rows', '--no-crops', '--no-wet'), {
    note: null,
    soil_kind: null,
    max_rows: null,
    crop_names: null,
    is_wet: false,
  })
})

t.test('a wrong argument says what was expected', async t => {
  for (const [option, value, expected] of [
    ['--note', ' ', /Expected a name/],
    ['--soil', 'chalk', /Expected clay, sand or none\./],
    ['--max-rows', '0', /Expected a whole number above 0\./],
    ['--crops', 'a,,b', /Expected a list of names: a,b/],
    ['--no-depth', '', /unknown option/],
    ['--internal', '', /unknown option/],
  ] as const)
    t.throws(() => parse(option, value), { message: expected }, option)
})
