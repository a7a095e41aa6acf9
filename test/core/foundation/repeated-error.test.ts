import { mock } from 'node:test'
import t from 'tap'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { RepeatedError } from '../../../core/foundation/repeated-error.ts'

t.test('an error that comes again and again is logged once, and then counted', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const lines: string[] = []
  const error = new RepeatedError(
    createLogger('info', new Masks(), line => void lines.push(line)),
    'the disk is full',
  )
  const told = (): readonly unknown[] => lines.splice(0).map(line => JSON.parse(line))
  for (let request = 1; request <= 300; request++) error.report({ request })
  t.match(told(), [{ level: 'error', message: 'the disk is full', request: 1 }])
  mock.timers.tick(10_000)
  t.match(told(), [{ level: 'error', message: 'the disk is full, again and again', more: 299 }])
  error.report({ request: 301 })
  mock.timers.tick(10_000)
  t.match(told(), [{ message: 'the disk is full', request: 301 }])
})
