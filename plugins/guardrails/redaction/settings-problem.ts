import { GatewayError } from '../../../core/index.ts'
import { bodyValidator, type SettingsProblem } from '../../../core/kit.ts'
import { settingsSchema, type Settings } from './settings.ts'

const check = bodyValidator(settingsSchema)

/** The reason why the settings cannot be used, if they cannot. */
export async function settingsProblem(settings: object): Promise<SettingsProblem | undefined> {
  try {
    check(settings)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { path: error.param ?? '', message: error.message }
  }
  const { custom = [] } = settings as Settings
  if (custom.length === 0) return undefined
  const { patternProblem } = await import('./patterns.ts')
  const problems = custom.map(patternProblem)
  const index = problems.findIndex(problem => problem !== undefined)
  return index === -1 ? undefined : { path: `custom[${index}].pattern`, message: problems[index]! }
}

/** True if the settings have the right form. Their patterns may still be invalid. */
export function isWellFormed(settings: object): boolean {
  try {
    check(settings)
    return true
  } catch {
    return false
  }
}
