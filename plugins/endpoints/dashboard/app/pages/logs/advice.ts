import { hrefOf } from '../../address.ts'
import { levelNames, type Level } from '../../policy.ts'
import type { Failure, FailureKind } from './failure.ts'
import { outcomes } from './reasons.ts'
import type { RequestRecord } from './record.ts'

/** A way out for an operator, and the page for it. */
export interface Advice {
  readonly text: string
  readonly link?: Link | undefined
}

export interface Link {
  readonly title: string
  readonly href: string
  /** For those who see all organizations. */
  readonly reach?: 'all'
}

/** The class of the failure as a sentence without a full stop. */
export function failureTitle({ kind, level, attempt }: Failure): string {
  const owner = level === undefined ? '' : ` of the ${levelNames[level]}`
  const titles: Readonly<Record<FailureKind, string>> = {
    request: 'The request is not valid',
    authentication: 'There was no valid key',
    permission: 'The key may not do this',
    policy: `The policy${owner} leaves no way to serve it`,
    guardrail: 'A guardrail refused it, or failed',
    limit: `A rate limit${owner} is full`,
    concurrency: 'The key had too many requests in progress',
    cap: `The spend cap${owner} leaves no room`,
    credit: 'The credit of the organization leaves no room',
    overload: 'The gateway had no room for it',
    vendor: attempt
      ? `No provider answered. The last one: ${lowered(outcomes[attempt.outcome] ?? attempt.outcome)}`
      : 'No provider answered',
    timeout: 'No answer came in time',
    left: 'The client went away before the answer',
    gateway: 'The gateway or one of its stores failed',
  }
  return titles[kind]
}

/** The ways out, the best first. */
export function adviceFor(record: RequestRecord, failure: Failure): readonly Advice[] {
  const { level } = failure
  const owner = linkTo(level, record)
  const key = linkTo('key', record)
  switch (failure.kind) {
    case 'request':
      return requestAdvice(record)
    case 'authentication':
      return [
        record.key === null
          ? { text: 'Check that the client sends a key, and one that exists.', link: pageLink('Keys', 'keys') }
          : {
              text: 'Whoever sent this has the secret of the key. Give its client a key that works, or find out who it is: the secret may have leaked.',
              link: pageLink('Keys', 'keys'),
            },
      ]
    case 'permission':
      return [{ text: 'Let the key use this model, provider or tool, or ask for one that it may use.', link: key }]
    case 'policy':
      return [
        {
          text: 'Choose a model that an endpoint with the agreement serves, or state the agreement of an endpoint in the catalog.',
          link: models,
        },
        { text: 'If the rule is not meant, change it where it was set.', link: owner },
      ]
    case 'guardrail':
      return [{ text: 'The notes below name the guardrail. If it failed rather than refused, see the log of the gateway.' }]
    case 'limit':
      return [
        { text: 'The client should wait as long as the header retry-after says.' },
        { text: `Or raise the limit${level === undefined ? '' : ` of the ${levelNames[level]}`}.`, link: owner ?? key },
      ]
    case 'concurrency':
      return [
        { text: 'The client should send fewer requests at once.' },
        { text: 'Or raise the requests at once that the key may have.', link: owner ?? key },
      ]
    case 'cap':
      return [
        {
          text: `Raise the cap${level === undefined ? '' : ` of the ${levelNames[level]}`}, or wait for its next period.`,
          link: owner ?? key,
        },
        { text: 'Requests that hold money give it back when they end: the client may try again then.' },
      ]
    case 'credit':
      return [{ text: 'Add credit to the organization.', link: creditLink(record) }]
    case 'overload':
      return [
        { text: 'See how much each provider may do at once, and how many wait for it.', link: providers },
        { text: 'If the gateway itself was full, add workers or machines.' },
      ]
    case 'vendor':
      return vendorAdvice(failure)
    case 'timeout':
      return [
        { text: 'The picture below shows who was slow. Add a fallback, or a second endpoint with the option hedgeAfter.', link: providers },
        { text: 'For long answers, let the client stream, or raise the time limits of the provider.' },
      ]
    case 'left':
      return [
        { text: 'Compare the duration with the time limit of the client and of proxies in between. Streaming keeps a connection alive.' },
      ]
    case 'gateway':
      return [{ text: `Search the log of the gateway for ${record.id}: it has the cause.` }]
  }
}

const models: Link = { title: 'Models', href: hrefOf('models'), reach: 'all' }
const providers: Link = { title: 'Providers', href: hrefOf('providers'), reach: 'all' }

function requestAdvice({ error_code: code }: RequestRecord): readonly Advice[] {
  if (code === 'model_not_found') return [{ text: 'Ask for a model that the gateway knows, or add the model to a catalog.', link: models }]
  if (code === 'context_length_exceeded')
    return [{ text: 'Send less, compact the conversation, or choose a model with a larger context window.', link: models }]
  return [{ text: 'The same request fails again. Whoever wrote the client has to change it.' }]
}

function vendorAdvice({ attempt, vendor }: Failure): readonly Advice[] {
  const more = { text: 'Add a fallback or another provider of the model, so that one vendor alone cannot fail a request.', link: models }
  const state = (text: string): Advice => ({ text, link: providers })
  const support = vendor?.requestId ? [{ text: 'If it goes on, give the request id to the support of the vendor.' }] : []
  switch (attempt?.outcome) {
    case 'auth':
      return [state('Check the credential of the provider: the vendor refused it.'), more]
    case 'quota':
      return [state('Top up the gateway’s account at the vendor.'), more]
    case 'rate-limit':
      return [
        state('Add a credential to the provider, limit its requests at once with maxConcurrent, or raise the limit at the vendor.'),
        more,
      ]
    case 'protocol':
      return [state('The reply was cut short or broke the vendor’s own protocol.'), more, ...support]
    default:
      return [state('See whether the provider fails for all, and since when.'), more, ...support]
  }
}

function linkTo(level: Level | undefined, { key, org, team, user }: RequestRecord): Link | undefined {
  const title = level && `The ${levelNames[level]}`
  if (level === 'key' && key) return { title: title!, href: hrefOf('keys', { id: key }) }
  const id = { org, team, user, key: null }[level ?? 'key']
  return id ? { title: title!, href: hrefOf('accounts', { level, id, ...(level !== 'org' && { org }) }) } : undefined
}

function creditLink({ org }: RequestRecord): Link | undefined {
  return org ? { title: 'Credit', href: hrefOf('accounts', { level: 'org', id: org, tab: 'credit' }), reach: 'all' } : undefined
}

function pageLink(title: string, page: string): Link {
  return { title, href: hrefOf(page) }
}

function lowered(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`
}
