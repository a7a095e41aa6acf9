import t from 'tap'
import { rateLimiterSuite } from '../../../core/testing/index.ts'
import { LimitedProcesses } from './limited-processes.ts'

rateLimiterSuite(t, {
  async open() {
    const processes = new LimitedProcesses()
    const [one, two] = [await processes.start(), await processes.start()]
    return {
      limiter: one.limiter,
      other: two.limiter,
      exchange: () => processes.flush(),
      pass: milliseconds => processes.clock.pass(milliseconds),
      close: () => processes.stop(),
    }
  },
})
