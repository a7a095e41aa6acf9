import { bodyValidator, definePlugin, Guardrails, PluginError } from '../../../core/index.ts'
import { RedactionSession } from './session.ts'
import type { Finder } from './finder.ts'
import { settingsSchema, type Settings } from './settings.ts'

/** Takes personal data and secrets out of requests before a provider sees them, for keys whose policy has redaction on. */
export default definePlugin({
  name: 'redaction',
  options: { type: 'object', additionalProperties: false, properties: {} },
  setup(gateway) {
    const finders = new WeakMap<object, Promise<Finder>>()
    const finderOf = (settings: Settings): Promise<Finder> => {
      let finder = finders.get(settings)
      if (!finder) finders.set(settings, (finder = load(settings)))
      return finder
    }
    gateway.add(Guardrails, {
      name: 'redaction',
      enforces: ['redaction'],
      onFailure: 'refuse',
      timeoutMs: 10_000,
      seesContent: 'local',
      open(context) {
        const { value, settings = usual } = context.caller.policy.redaction
        if (!value) return undefined
        return new RedactionSession(settings as Settings, () => finderOf(settings as Settings), context)
      },
    })
  },
})

const usual: Settings = {}
const checkSettings = bodyValidator(settingsSchema)

/** The detectors take a while to load, so only gateways that redact load them. */
async function load(settings: Settings): Promise<Finder> {
  try {
    checkSettings(settings)
  } catch (cause) {
    throw new PluginError('redaction', `cannot use the settings of a policy: ${(cause as Error).message}`, { cause })
  }
  const [{ Finder }, { patternProblem }] = await Promise.all([import('./finder.ts'), import('./patterns.ts')])
  const problem = (settings.custom ?? []).map(patternProblem).find(each => each !== undefined)
  if (problem !== undefined) throw new PluginError('redaction', `cannot use the settings of a policy: ${problem}`)
  return new Finder(settings)
}
