import type { VNode } from 'preact'
import { Page } from '../../components/page.ts'
import { Tabs } from '../../components/tabs.ts'
import { html } from '../../html.ts'
import { useParameters } from '../../place.ts'
import { useSession } from '../../session.ts'
import { AuditTrail } from './audit-trail.ts'
import { Configuration } from './configuration.ts'
import { Plugins } from './plugins.ts'
import { Tokens } from './tokens.ts'

/** How the gateway is set up, who may use the dashboard, and who changed what. */
export default function Settings(): VNode {
  const [{ tab }, setParameters] = useParameters()
  const { may } = useSession()
  const tabs = [
    ...(may('viewer', 'all')
      ? [
          { id: 'configuration', title: 'Configuration', show: Configuration },
          { id: 'plugins', title: 'Plugins', show: Plugins },
        ]
      : []),
    { id: 'audit', title: 'Audit trail', show: AuditTrail },
    ...(may('owner') ? [{ id: 'tokens', title: 'Admin tokens', show: Tokens }] : []),
  ]
  const current = tabs.find(({ id }) => id === tab) ?? tabs[0]!
  const select = (id: string): void =>
    setParameters({ tab: id, cursor: undefined, actor: undefined, target: undefined, org: undefined, find: undefined })
  return html`<${Page} title="Settings" intro="How the gateway is set up. Only its config file and environment change these values.">
    <${Tabs} label="Settings" tabs=${tabs} current=${current.id} onSelect=${select}><${current.show} key=${current.id} /><//>
  <//>`
}
