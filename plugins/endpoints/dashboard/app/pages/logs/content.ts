import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { CodeBlock } from '../../components/copy.ts'
import { Notice, Problem } from '../../components/feedback.ts'
import { Button, Panel } from '../../components/page.ts'
import { html } from '../../html.ts'
import { useSession } from '../../session.ts'
import type { RequestRecord } from './record.ts'

/** The prompt and the answer, if they were stored. Read only when somebody opens them. */
export function Content({ record }: { readonly record: RequestRecord }): VNode {
  const [opened, setOpened] = useState<RequestRecord>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const { may } = useSession()
  const open = async (): Promise<void> => {
    setBusy(true)
    setError(undefined)
    await api.get<RequestRecord>(`/records/${encodeURIComponent(record.id)}`, { content: true }).then(setOpened, setError)
    setBusy(false)
  }
  const isLogged = record.policy?.['logging'] === true
  if (!isLogged) return html`<${Panel} title="Content"><p class="muted">Nothing was stored: logging was off for this request.</p><//>`
  if (!may('editor'))
    return html`<${Panel} title="Content"
      ><p class="muted">It was stored. To read it, sign in with a token that has the role editor.</p><//
    >`
  const action = html`<${Button} small disabled=${isBusy} onClick=${open}>Open the content<//>`
  return html`<${Panel}
    title="Content"
    intro="The prompt and the answer. The audit trail records who opens them."
    actions=${opened ? undefined : action}
  >
    ${error !== undefined && html`<${Problem} error=${error} />`} ${opened && shown(opened)}
  <//>`
}

function shown({ request, response, kept }: RequestRecord): VNode {
  if ((request ?? null) === null && (response ?? null) === null)
    return html`<${Notice}>The content has been deleted, or this gateway's store does not keep it.<//>`
  const text = (value: unknown): string =>
    value === null || value === undefined ? 'Nothing was stored.' : JSON.stringify(value, undefined, 2)
  return html`<div class="columns">
      <div>
        <h3>Request</h3>
        <${CodeBlock} label="Body of the request" text=${text(request)} />
      </div>
      <div>
        <h3>Response</h3>
        <${CodeBlock} label="Body of the response" text=${text(response)} />
      </div>
    </div>
    ${Object.entries(kept ?? {}).map(
      ([kind, each]) =>
        html`<div key=${kind}>
          <h3>${kind === 'redaction' ? 'Removed by redaction' : kind}</h3>
          <${CodeBlock} label=${`Kept by ${kind}`} text=${text(each)} />
        </div>`,
    )}`
}
