import type { LiveAnswers } from '../call/live-answers.ts'
import type { Compactor } from '../contracts/compactor.ts'
import type { Sealer } from '../contracts/sealer.ts'
import type { Ids } from '../foundation/ids.ts'
import type { Settings } from '../framework/settings.ts'
import type { Affinity } from '../routing/affinity.ts'
import type { ContextWindow } from '../routing/context-window.ts'
import type { ModelCalls } from './model-call.ts'
import type { PreparationServices } from './preparation.ts'

/** The services that every generation uses. */
export interface RunServices extends PreparationServices {
  readonly models: ModelCalls
  readonly compactor: Compactor
  readonly contextWindow: ContextWindow
  readonly answers: LiveAnswers
  readonly affinity: Affinity
  readonly sealer: Sealer
  readonly settings: Settings
  readonly ids: Ids
}
