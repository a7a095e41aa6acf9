import type { Script } from '../script.ts'
import { beatScript, gaugesScript } from './beat.ts'
import { changeScript } from './change.ts'
import { claimScript } from './claim.ts'
import { exchangeScript } from './exchange.ts'
import { publishScript } from './publish.ts'
import { renewScript } from './renew.ts'
import { generationScript } from './server.ts'
import { statesScript } from './states.ts'

/** Those that run often. */
export const everyScript: readonly Script[] = [
  beatScript,
  changeScript,
  claimScript,
  exchangeScript,
  gaugesScript,
  generationScript,
  publishScript,
  renewScript,
  statesScript,
]
