import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import type { Heartbeat } from '../../../core/server/heartbeat.ts'
import { NodeBody } from '../../../core/server/node-body.ts'

const silent = { add() {}, remove() {} } as unknown as Heartbeat

/** A response whose connection takes what the test lets it take. */
class Response extends EventEmitter {
  readonly sent: (string | Uint8Array)[] = []
  writableLength = 0
  takes = true
  ended: string | undefined

  write(chunk: string | Uint8Array): boolean {
    this.sent.push(chunk)
    if (!this.takes) this.writableLength += chunk.length
    return this.takes
  }

  end(rest: string): void {
    this.ended = rest
  }
}

function open(): { readonly response: Response; readonly body: NodeBody } {
  const response = new Response()
  return { response, body: new NodeBody(silent, response as unknown as ServerResponse) }
}

t.test('frames wait for the head, and are written once per turn', async t => {
  const { response, body } = open()
  body.write('a')
  await turn()
  body.write('b')
  t.same(response.sent, [])
  body.begin()
  await turn()
  t.equal(response.sent.join(''), 'ab')
  body.write('c')
  body.write('d')
  await turn()
  t.equal(response.sent.at(-1), 'cd')
  body.write('e')
  body.end()
  t.equal(response.ended, 'e')
  body.write('f')
  await turn()
  t.equal(response.sent.join(''), 'abcd')
})

t.test('a body that ends before the head is sent whole after it', async t => {
  const { response, body } = open()
  body.write('a')
  await turn()
  body.write('b')
  body.end()
  t.equal(response.ended, undefined)
  body.begin()
  t.equal(response.ended, 'ab')
})

t.test('a silent stream begins with a comment', async t => {
  const { response, body } = open()
  body.begin()
  await turn()
  t.same(response.sent, [':\n\n'])
})

t.test('it is full until the connection has drained, before and after the head', async t => {
  const { response, body } = open()
  body.write('a'.repeat(20_000))
  t.ok(body.full)
  const early = body.drained()
  t.ok(body.full, 'there is no room before the head')
  body.begin()
  await early
  t.notOk(body.full)

  response.takes = false
  body.write('b')
  await turn()
  t.ok(body.full)
  body.write('c')
  const drained = body.drained()
  t.type(response.sent.at(-1), Uint8Array, 'what waits is one piece of memory')
  response.takes = true
  response.writableLength = 0
  response.emit('drain')
  await drained
  t.notOk(body.full)
  t.equal(Buffer.concat(response.sent.map(each => Buffer.from(each as string))).toString(), `${'a'.repeat(20_000)}bc`)
})

t.test('a waiting writer continues when the client leaves', async t => {
  const { response, body } = open()
  response.takes = false
  body.begin()
  await turn()
  t.ok(body.full)
  const drained = body.drained()
  body.leave()
  await drained
  t.notOk(body.full)
  body.write('late')
  body.end()
  await turn()
  t.equal(response.ended, undefined)
})
