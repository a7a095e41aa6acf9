import type { VNode } from 'preact'
import { Page } from '../../components/page.ts'
import { Tabs } from '../../components/tabs.ts'
import { html } from '../../html.ts'
import { useParameters } from '../../place.ts'
import { AlertList } from './alert-list.ts'
import { MessageList } from './message-list.ts'
import { SilenceList } from './silence-list.ts'
import { TargetList } from './target-list.ts'

const tabs = [
  { id: 'alerts', title: 'Alerts', show: AlertList },
  { id: 'silences', title: 'Silences', show: SilenceList },
  { id: 'targets', title: 'Targets', show: TargetList },
  { id: 'messages', title: 'Undelivered', show: MessageList },
] as const

/** The filters of the tabs. */
const cleared = { cursor: undefined, kind: undefined, state: undefined, org: undefined, time: undefined, target: undefined }

/** What needs somebody's attention, and who is told of it. */
export default function Alerts(): VNode {
  const [{ tab }, setParameters] = useParameters()
  const current = tabs.find(({ id }) => id === tab) ?? tabs[0]
  const select = (id: string): void => setParameters({ ...cleared, tab: id === 'alerts' ? undefined : id })
  return html`<${Page} title="Alerts" intro="Spend caps, providers, errors, keys and certificates that need somebody’s attention.">
    <${Tabs} label="Alerts" tabs=${tabs} current=${current.id} onSelect=${select}><${current.show} key=${current.id} /><//>
  <//>`
}
