import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { ApiError } from '../../api.ts'
import { Badge, Meter, Problem } from '../../components/feedback.ts'
import { Icon } from '../../components/icon.ts'
import { RecentSpend } from '../../components/recent-spend.ts'
import { PagedTable, type Column } from '../../components/table.ts'
import { Time } from '../../components/time.ts'
import { usd } from '../../format.ts'
import { html, type Children } from '../../html.ts'
import { hrefOf, type Parameters } from '../../place.ts'
import { policyFields } from '../../policy.ts'
import { usageOf, words, type Account, type AccountLevel } from './account.ts'

/** Accounts of one level. */
export function AccountTable({
  level,
  query,
  empty,
  parameter,
}: {
  readonly level: AccountLevel
  readonly query: Parameters
  readonly empty: Children
  readonly parameter?: string
}): VNode {
  const [failures, setFailures] = useState<readonly ApiError[]>([])
  const [turn, setTurn] = useState(0)
  const failing = (error: ApiError): (() => void) => {
    setFailures(before => [...before, error])
    return () => setFailures(before => before.filter(each => each !== error))
  }
  const columns: readonly Column<Account>[] = [
    { head: 'Name', cell: ({ id, name }) => html`<span class="two-lines">${name}<small class="mono">${id}</small></span>` },
    ...(level === 'org' ? [] : [{ head: 'Organization', cell: ({ org }: Account) => org, isExtra: true }]),
    ...(level === 'user'
      ? [{ head: 'Team', cell: ({ team }: Account) => team ?? html`<span class="muted">none</span>`, isExtra: true }]
      : []),
    { head: 'Enforces', cell: enforced },
    { head: 'Spent', cell: account => spent(account, turn, failing) },
    ...(level === 'org' ? [{ head: 'Credit', cell: credit, align: 'end' as const }] : []),
    { head: 'Created', cell: ({ created_at: at }) => html`<${Time} at=${at} />`, isExtra: true },
  ]
  return html`${
      failures.length > 0 &&
      html`<${Problem} title="The spending could not be loaded." error=${failures[0]} retry=${() => setTurn(turn + 1)} />`
    }<${PagedTable}
      label=${words[level].many}
      path=${`/${words[level].list}`}
      query=${query}
      parameter=${parameter}
      columns=${columns}
      rowKey=${({ org, id }: Account) => `${org} ${id}`}
      rowHref=${({ org, id }: Account) => hrefOf('accounts', { level, id, org: level === 'org' ? undefined : org })}
      empty=${empty}
    />`
}

function enforced({ policy }: Account): VNode {
  const fields = policyFields.filter(field => policy[field]?.enforced)
  if (fields.length === 0) return html`<span class="muted">nothing</span>`
  return html`<span class="row">
    ${fields.map(field => html`<${Badge} tone="info"><${Icon} name="lock" size=${12} />${field} ${policy[field]!.value ? 'on' : 'off'}<//>`)}
  </span>`
}

function spent(account: Account, turn: number, failing: (error: ApiError) => () => void): VNode {
  const { name, spent_usd: value, spend_cap_usd: cap, spend_period: period } = account
  if (cap === null)
    return html`<span
      ><${RecentSpend} filter=${usageOf(account)} version=${turn} failing=${failing} /> <span class="muted">in 30 days</span></span
    >`
  const text = `${usd(value)} of ${usd(cap)}${period === null ? '' : ` a ${period}`}`
  return html`<${Meter} label=${`Spent by ${name}, in US dollars`} value=${value ?? 0} most=${cap} text=${text} />`
}

function credit({ credit_balance_usd: balance }: Account): VNode {
  if (balance === null || balance === undefined) return html`<span class="muted">not kept</span>`
  return html`<span class=${balance <= 0 ? 'bad-text' : undefined}>${usd(balance)}</span>`
}
