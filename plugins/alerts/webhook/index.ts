import { Clock, definePlugin, Ids } from '../../../core/index.ts'
import { AlertOutbox, AlertStore, AlertTargetStore, Sealer } from '../../../core/stores.ts'
import { AlertTargets } from '../../../core/admin.ts'
import { checkTargets } from './operator-targets.ts'
import { webhookOptions } from './options.ts'
import { setUpWebhook } from './setup.ts'

/** Sends alerts to webhooks of the operator and of organizations, in the formats of Slack, Teams and Discord, too: docs/alerts.md. */
export default definePlugin({
  name: 'alert-webhook',
  options: webhookOptions,
  contracts: { AlertChannels: 1, AlertTargets: 1 },
  needs: { clock: Clock, ids: Ids, sealer: Sealer, alerts: AlertStore, targets: AlertTargetStore, outbox: AlertOutbox },
  provides: [AlertTargets],
  setup(gateway, options, needs) {
    checkTargets(gateway.name, options.targets)
    setUpWebhook(gateway, { ...needs, options })
  },
})
