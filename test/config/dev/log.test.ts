import { PassThrough } from 'node:stream'
import { WriteStream } from 'node:tty'
import t from 'tap'
import { Paint } from '../../../config/dev/paint.ts'
import { ReadableLog } from '../../../config/dev/readable-log.ts'
import { requestLine } from '../../../config/dev/request-line.ts'
import { sortedFrames } from '../../../config/dev/own-frames.ts'
import { testRecord } from '../../../core/testing/index.ts'

const gatewayFile = new URL('../../../core/guards/input-guards.ts', import.meta.url).href

const plain = new Paint(streamWith({ isTTY: false }))

/** A stream that is a terminal, or none. */
function streamWith(members: object): NodeJS.WriteStream {
  return Object.assign(new PassThrough(), members) as unknown as NodeJS.WriteStream
}

function told(line: object | string): string {
  let text = ''
  new ReadableLog(plain, more => void (text += more)).line(typeof line === 'string' ? line : JSON.stringify(line))
  return text
}

t.test('a line is for people', async t => {
  t.match(
    told({ level: 'info', time: 0, message: 'reloaded', why: 'saved a.ts', count: 2 }),
    /^\d\d:\d\d:\d\d {2}info {3}reloaded {2}why=saved a\.ts {2}count=2\n$/,
  )
  t.equal(told('no JSON\n'), 'no JSON\n')
  t.match(told({ level: 'error', time: 0, message: 'refused', problem: 'one\ntwo' }), /refused\n {17}one\n {17}two\n$/)
})

t.test('the frames of a plugin come first', async t => {
  const own = 'at look (file:///home/ada/gateway/plugins/look.ts?turnpike-reload=3:14:2)'
  const packaged = 'at run (/home/ada/gateway/node_modules/acme-turnpike/index.js:1:1)'
  const core = `at askGuard (${gatewayFile}:1:1)`
  t.same(sortedFrames([core, 'at node:internal/process:1:1', own, packaged]), {
    own: ['at look (/home/ada/gateway/plugins/look.ts:14:2)', packaged],
    others: [core.replace('file://', ''), 'at node:internal/process:1:1'],
  })
  const text = told({ level: 'error', time: 0, message: 'a guardrail failed', error: 'TypeError', reason: 'stumbled', stack: [core, own] })
  t.match(text, /failed\n +TypeError: stumbled\n +at look \(\/home\/ada\/gateway\/plugins\/look\.ts:14:2\)\n +at askGuard/)
})

t.test('one line for a request, and one more for its error', async t => {
  const answered = testRecord({
    model: 'demo',
    provider: 'acme',
    elapsedMs: 812.4,
    firstEventMs: 213.6,
    inputTokens: 12,
    outputTokens: 340,
    costUsd: 0.000683,
  })
  t.match(
    requestLine(answered, plain),
    /^\d\d:\d\d:\d\d {2}200 {4}POST \/v1\/responses {2}acme\/demo {2}812 ms \(first event after 214 ms\) {2}12 tokens in, 340 out {2}\$0\.000683 {2}req_test\n$/,
  )
  const failed = testRecord({ status: 404, errorCode: 'model_not_found', errorMessage: 'There is no model "…".', errorParam: 'model' })
  t.match(
    requestLine(failed, plain),
    /404 {4}POST \/v1\/responses {2}1 ms {2}req_test\n {17}model_not_found \(model\) There is no model "…"\.\n$/,
  )
})

t.test('colors are for terminals', async t => {
  const { NO_COLOR, FORCE_COLOR } = process.env
  t.teardown(() => {
    if (NO_COLOR !== undefined) process.env['NO_COLOR'] = NO_COLOR
    if (FORCE_COLOR !== undefined) process.env['FORCE_COLOR'] = FORCE_COLOR
  })
  delete process.env['NO_COLOR']
  delete process.env['FORCE_COLOR']
  const terminal = streamWith({
    isTTY: true,
    // Without CI and TERM, which count, too.
    getColorDepth: () => {
      const { NO_COLOR: off } = process.env
      return WriteStream.prototype.getColorDepth({ COLORTERM: 'truecolor', ...(off !== undefined && { NO_COLOR: off }) })
    },
  })
  t.equal(plain.apply('red', 'x'), 'x')
  t.match(new Paint(terminal).apply('red', 'x'), '\x1b[31mx')
  process.env['NO_COLOR'] = '1'
  t.equal(new Paint(terminal).apply('red', 'x'), 'x')
  delete process.env['NO_COLOR']
})
