import { definePlugin, Guardrails, policyRefusal, type RunContext } from '../../../core/index.ts'
import { wording, own } from '../../../core/kit.ts'
import type { Finder } from './finder.ts'
import { settingsProblem } from './settings-problem.ts'
import { Searches } from './searches.ts'
import { RedactionSession } from './session.ts'
import type { Settings } from './settings.ts'
import { strictestSettings } from './strictest-settings.ts'

const count = { type: 'integer', minimum: 1 } as const

/** Takes personal data and secrets out of requests before a provider sees them, for keys whose policy has redaction on. */
export default definePlugin({
  name: 'redaction',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      maxRequests: { ...count, default: 2_000, description: 'How many requests to search at the same time. Further ones get a 503.' },
      maxCharacters: {
        ...count,
        default: 64_000_000,
        description:
          'How many characters to search at the same time, in all requests together. Beyond that, requests get a 503. A single request may have more.',
      },
      maxRequestsPerOwner: {
        ...count,
        default: 400,
        description:
          'How many requests of one owner to search at the same time: of a user, or else a team, or else an organization. Further ones get a 429.',
      },
      maxCharactersPerOwner: {
        ...count,
        default: 32_000_000,
        description:
          'How many characters to search at the same time in the requests of one owner. Beyond that, requests get a 429. A single request may have more.',
      },
    },
  },
  setup(gateway, limits) {
    const searches = new Searches(limits)
    const finders = new WeakMap<object, Promise<Finder>>()
    const finderOf = (settings: Settings, context: RunContext): Promise<Finder> => {
      let finder = finders.get(settings)
      if (!finder) finders.set(settings, (finder = load(settings, context)))
      return finder
    }
    gateway.add(Guardrails, {
      name: 'redaction',
      enforces: ['redaction'],
      onFailure: 'refuse',
      timeoutMs: 10_000,
      seesContent: 'local',
      settingsProblem: (_, settings) => settingsProblem(settings),
      strictestSettings: (_, settings) => strictestSettings(settings as readonly Settings[]),
      open(context) {
        const { value, settings = usual } = context.caller.policy.redaction
        if (!value) return undefined
        return new RedactionSession(settings as Settings, searches, () => finderOf(settings as Settings, context), context)
      },
    })
  },
})

const usual: Settings = {}

/** The detectors take a while to load, so only gateways that redact load them. */
async function load(settings: Settings, { caller, log }: RunContext): Promise<Finder> {
  const problem = await settingsProblem(settings)
  if (problem) {
    const { source } = caller.policy.redaction
    log.error('the redaction settings of a policy cannot be used', {
      policyLevel: source,
      org: caller.key.org,
      key: caller.key.id,
      ...problem,
    })
    const member = problem.path === '' ? 'they are malformed' : `"${problem.path}" is wrong`
    throw policyRefusal(
      wording`The redaction settings in the policy of this API key (set by the ${own(source)}) cannot be used: ${member}. Requests are refused until they are changed.`,
    )
  }
  const { Finder } = await import('./finder.ts')
  return new Finder(settings)
}
