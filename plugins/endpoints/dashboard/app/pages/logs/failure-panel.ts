import type { VNode } from 'preact'
import { Code } from '../../components/copy.ts'
import { Facts, type Fact } from '../../components/facts.ts'
import { Icon } from '../../components/icon.ts'
import { Panel } from '../../components/page.ts'
import { html } from '../../html.ts'
import { hrefOf } from '../../place.ts'
import { levelNames } from '../../policy.ts'
import { useSession } from '../../session.ts'
import { adviceFor, failureTitle, type Link } from './advice.ts'
import { failureOf, type Failure } from './failure.ts'
import { statusText } from './reasons.ts'
import type { RequestRecord } from './record.ts'

/** Why the request failed, in the words that the caller got, and what an operator can do. Nothing for one that did not. */
export function FailurePanel({ record }: { readonly record: RequestRecord }): VNode | null {
  const { may } = useSession()
  const failure = failureOf(record)
  if (!failure) return null
  const shown = (link: Link | undefined): VNode | false =>
    link !== undefined && may('viewer', link.reach) && html` <a href=${link.href}>${link.title}</a>`
  return html`<${Panel} title="Why it failed">
    <div class="stack">
      <p class="failure-title"><${Icon} name="alert" /><strong>${failureTitle(failure)}</strong></p>
      ${record.error_message && html`<blockquote class="quote anywhere" dir="auto">${record.error_message}</blockquote>`}
      <${Facts} facts=${factsOf(record, failure)} />
      <h3>What you can do</h3>
      <ul class="advice">
        ${adviceFor(record, failure).map(({ text, link }) => html`<li key=${text}>${text}${shown(link)}</li>`)}
        ${
          record.error_code !== null &&
          html`<li>See whether others fail alike. <a href=${alike(record)}>Requests with this code in the last 24 hours</a></li>`
        }
      </ul>
    </div>
  <//>`
}

function factsOf(record: RequestRecord, { kind, level, vendor }: Failure): readonly Fact[] {
  const { error_code: code, error_param: param, error_message: message } = record
  return [
    ['Code', code && html`<code class="anywhere">${code}</code>`],
    ['Parameter', param && html`<code class="anywhere">${param}</code>`],
    ['Class', kind],
    ['Level', level && levelNames[level]],
    ['Vendor', vendor && html`<span class="anywhere">${vendor.provider}</span>`],
    ['Status of the vendor', vendor?.status && statusText(vendor.status)],
    ['Code of the vendor', vendor?.code && html`<code class="anywhere">${vendor.code}</code>`],
    ['Request id of the vendor', vendor?.requestId && html`<${Code} text=${vendor.requestId} what="request id of the vendor" />`],
    ['Left out', message?.includes('…') && record.policy?.['logging'] !== true && 'what … stands for, because logging was off'],
  ]
}

function alike({ error_code: code }: RequestRecord): string {
  return hrefOf('logs', { error_code: code, time: '24h' })
}
