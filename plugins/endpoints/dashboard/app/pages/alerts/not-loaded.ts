import type { VNode } from 'preact'
import { ApiError } from '../../api.ts'
import { Empty, Problem } from '../../components/feedback.ts'
import { html } from '../../html.ts'
import { hasNoTargets } from './target.ts'

interface Failed {
  readonly error: unknown
  readonly retry: () => void
}

/** In place of the alerts of a gateway that keeps none. */
export function NotKept({ error, retry }: Failed): VNode {
  return error instanceof ApiError && error.status === 404
    ? html`<${Empty} title="This gateway keeps no alerts">A plugin that stores them, such as sql-store, is not loaded.<//>`
    : html`<${Problem} error=${error} retry=${retry} />`
}

/** In place of a list of targets or messages: why there is none. */
export function NotLoaded({ error, retry }: Failed): VNode {
  return hasNoTargets(error)
    ? html`<${Empty} title="No plugin sends alerts">Add the plugin alert-webhook to the config. Then targets can be set here, too.<//>`
    : html`<${Problem} error=${error} retry=${retry} />`
}
