import type { LogSink } from '../../../../core/contracts/log-sink.ts'
import { shadow } from '../shadow.ts'
import type { Watching } from './watching.ts'

/** A batch has records of several requests: each has a step of its own. */
export function watchedSink(sink: LogSink, { inspector, plugin }: Watching): LogSink {
  return shadow(sink, {
    async write(batch) {
      const steps = batch.flatMap(record => {
        const step = inspector.find(record.id)?.step({ plugin, kind: 'log sink', name: sink.name, hook: 'write' })
        if (!step) return []
        step.fact('gets content', record.request !== null || record.response !== null)
        step.show('record', record)
        return [step]
      })
      try {
        await sink.write(batch)
        for (const step of steps) step.end()
      } catch (error) {
        for (const step of steps) step.fail(error)
        throw error
      }
    },
  })
}
