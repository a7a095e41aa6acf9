import type { Admin, AdminServices } from '../../../core/admin.ts'
import { invalidRequest, type GatewayError } from '../../../core/index.ts'
import { nearest } from '../../../core/kit.ts'
import { spendAccountOf, type AccountLevel, type AlertStore } from '../../../core/stores.ts'
import type { Stores } from './stores.ts'

const forms = [
  'gateway',
  'provider:<id>',
  'model:<provider>/<model>',
  'sink:<name>',
  'certificate:<name>',
  'key:<id>',
  'org:<id>',
  'team:<org>/<id>',
  'user:<org>/<id>',
]
const kinds = forms.map(form => form.split(':')[0]!)
/** As many of the newest alerts may be about something that this gateway does not know, such as a provider of another gateway. */
const newestAlerts = 100

interface Asked {
  readonly admin: Admin
  readonly stores: Stores
  readonly alerts: AlertStore
  readonly gateway: AdminServices
}

/** Throws a 400 for a subject that no alert has: the silence would do nothing. */
export async function checkSubject(subject: string, asked: Asked): Promise<void> {
  const [kind = '', ...rest] = subject.split(':')
  const id = rest.join(':')
  if (!kinds.includes(kind) || (kind === 'gateway') !== (rest.length === 0) || (kind !== 'gateway' && id === ''))
    throw refusal(
      `expected ${forms.join(', ')}`,
      nearest(kind, kinds).map(each => (each === 'gateway' ? each : `${each}:${id}`)),
    )
  const problem = await problemOf(kind, id, subject, asked)
  if (problem && !(await isKnown(subject, asked))) throw problem
}

async function problemOf(kind: string, id: string, subject: string, { admin, stores, gateway }: Asked): Promise<GatewayError | undefined> {
  switch (kind) {
    case 'provider':
      return unknownOf('provider', id, contributed(gateway, 'provider', 'decision client'), 'provider:')
    case 'sink':
      return unknownOf('log sink', id, contributed(gateway, 'log sink'), 'sink:')
    case 'model':
      return modelProblem(id, gateway)
    case 'key': {
      const key = await stores.keys.find(id)
      return key && (admin.org === undefined || key.org === admin.org) ? undefined : refusal('there is no such API key')
    }
    case 'org':
    case 'team':
    case 'user':
      return await accountProblem(kind, id, subject, stores, admin)
  }
  return undefined
}

function modelProblem(name: string, gateway: AdminServices): GatewayError | undefined {
  const slash = name.indexOf('/')
  if (slash < 0) return refusal('expected model:<provider>/<model>')
  const [provider, model] = [name.slice(0, slash), name.slice(slash + 1)]
  const providers = contributed(gateway, 'provider', 'decision client')
  if (!providers.includes(provider)) return unknownOf('provider', provider, providers, 'model:', `/${model}`)
  if (model === 'other') return undefined
  const listed = gateway.catalog.endpoint(provider, model)?.model
  if (listed === model) return undefined
  const advice = `no catalog lists this model for ${provider}. Alerts about models that no catalog lists have the subject model:${provider}/other`
  return listed === undefined ? refusal(advice) : refusal('alerts have the canonical name of a model', [`model:${provider}/${listed}`])
}

async function accountProblem(
  level: AccountLevel,
  id: string,
  subject: string,
  { accounts }: Stores,
  admin: Admin,
): Promise<GatewayError | undefined> {
  const parts = id.split('/').map(decoded)
  if (parts.length !== (level === 'org' ? 1 : 2)) return refusal(`expected ${forms.find(form => form.startsWith(level))!}`)
  const ref = { level, org: parts[0]!, id: parts.at(-1)! }
  const isVisible = admin.org === undefined || admin.org === ref.org
  if (!isVisible || !(await accounts.find(ref)))
    return refusal(`there is no such ${{ org: 'organization', team: 'team', user: 'user' }[level]}`)
  const actual = spendAccountOf(ref)
  return actual === subject ? undefined : refusal('ids are percent-encoded', [actual])
}

function unknownOf(noun: string, id: string, known: readonly string[], before: string, after = ''): GatewayError | undefined {
  if (known.includes(id)) return undefined
  return refusal(
    `this gateway has no such ${noun}`,
    nearest(id, known).map(each => `${before}${each}${after}`),
  )
}

function contributed({ plugins }: AdminServices, ...points: readonly string[]): readonly string[] {
  return plugins.flatMap(({ contributions }) => contributions.filter(({ point }) => points.includes(point)).map(({ name }) => name))
}

async function isKnown(subject: string, { admin, alerts }: Asked): Promise<boolean> {
  const newest = await alerts.page({ org: admin.org }, { limit: newestAlerts })
  return newest.some(alert => alert.subject === subject)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function refusal(problem: string, near: readonly string[] = []): GatewayError {
  const advice = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : ''
  return invalidRequest(`Invalid value for 'subject': ${problem}.${advice}`, 'subject')
}
