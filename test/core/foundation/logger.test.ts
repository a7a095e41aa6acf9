import t from 'tap'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'

t.test('no line has a member twice, whatever the fields are called', async t => {
  const lines: string[] = []
  const log = createLogger('debug', new Masks(), line => void lines.push(line))
  const fields = { level: 'org', time: 'noon', message: 'hello', plugin: 'other', key: 'k' }
  for (const target of [log, log.child('acme')])
    for (const level of ['debug', 'info', 'warn', 'error'] as const) target[level]('said', fields)
  log.child('acme').warn('said', { plugin: 'acme' })
  for (const [index, line] of lines.entries()) {
    const names = [...line.matchAll(/"(\w+)":/g)].map(([, name]) => name)
    t.same(names, [...new Set(names)], line)
    const level = ['debug', 'info', 'warn', 'error'][index % 4]
    if (index < 8) t.match(JSON.parse(line), { level, message: 'said', level_: 'org', time_: 'noon', message_: 'hello', key: 'k' })
  }
  t.match(JSON.parse(lines[0]!), { plugin: 'other' })
  t.match(JSON.parse(lines[4]!), { plugin: 'acme', plugin_: 'other' })
  t.strictSame(Object.keys(JSON.parse(lines[8]!)), ['level', 'time', 'plugin', 'message'])
})
