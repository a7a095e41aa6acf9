import { join } from 'node:path'
import t from 'tap'
import { Sockets } from '../../../config/workers/sockets.ts'
import { WorkerProcess } from '../../../config/workers/worker-process.ts'

t.test('a worker that is killed while it gets its sockets has ended', async t => {
  const sockets = await Sockets.open({ host: '127.0.0.1', port: 0, workers: 2, isHttps: false, admin: undefined })
  t.teardown(() => sockets.close())
  const waiting = "process.send({ kind: 'opened' })\nAtomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)\n"
  const program = join(t.testdir({ 'worker.cjs': waiting }), 'worker.cjs')
  const worker = new WorkerProcess(1, { program, options: [], environment: process.env }, () => {})
  await worker.reports('opened')
  worker.keep(sockets, sockets.names)
  worker.kill()
  t.same(await worker.ended, { code: null, signal: 'SIGKILL' })
  t.ok(worker.hasEnded)
})
