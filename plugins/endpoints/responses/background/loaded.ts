import type { Registrar } from '../../../../core/index.ts'
import { Background, type BackgroundParts } from './background.ts'
import { Notices } from './notices.ts'
import { Upkeep } from './upkeep.ts'

/** The parts of one gateway that serve background responses. */
export interface LoadedBackground {
  readonly background: Background
  readonly notices: Notices | undefined
  readonly upkeep: Upkeep
}

export function loadBackground(gateway: Registrar, parts: Omit<BackgroundParts, 'notify' | 'log'>): LoadedBackground {
  const { http, log } = gateway
  const { store, clock, options } = parts
  const notices = options.webhook && new Notices({ store, http, clock, log, webhook: options.webhook })
  const background = new Background({ ...parts, log, notify: notices && (() => notices.send()) })
  const upkeep = new Upkeep({ store, clock, log, notices, aftermath: () => background.aftermath() })
  return { background, notices, upkeep }
}
