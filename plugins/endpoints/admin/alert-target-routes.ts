import type { AdminRoute, AlertTargets } from '../../../core/admin.ts'
import { AlertMessages, messageFilters } from './alert-messages.ts'
import { messageShown, targetShown } from './alert-target-object.ts'
import { newTargetSchema, Targets, targetChangeSchema } from './alert-targets.ts'
import { described } from './descriptions.ts'
import { pageParameters } from './query.ts'
import type { Stores } from './stores.ts'

const base = '/admin/v1/alert-targets'
const messages = '/admin/v1/alert-messages'

/** The routes of the targets of alerts, if a plugin has targets. */
export function alertTargetRoutes(stores: Stores, service: AlertTargets): readonly AdminRoute[] {
  const targets = new Targets(stores, service)
  const sent = new AlertMessages(stores, service)
  return [
    {
      ...{ method: 'GET', path: base, role: 'viewer', reach: 'org' },
      handle: exchange => targets.list(exchange),
      describe: () => described({ summary: 'List the targets of alerts', query: [...pageParameters, 'org'], lists: targetShown }),
    },
    {
      ...{ method: 'POST', path: base, role: 'editor', reach: 'org' },
      handle: (exchange, gateway) => targets.create(exchange, gateway),
      describe: () =>
        described({ summary: 'Create a target of an organization', request: newTargetSchema, shows: targetShown, status: 201 }),
    },
    {
      ...{ method: 'GET', path: `${base}/:id`, role: 'viewer', reach: 'org' },
      handle: exchange => targets.get(exchange),
      describe: () => described({ summary: 'Read a target', shows: targetShown }),
    },
    {
      ...{ method: 'PATCH', path: `${base}/:id`, role: 'editor', reach: 'org' },
      handle: (exchange, gateway) => targets.update(exchange, gateway),
      describe: () => described({ summary: 'Change a target of an organization', request: targetChangeSchema, shows: targetShown }),
    },
    {
      ...{ method: 'DELETE', path: `${base}/:id`, role: 'editor', reach: 'org' },
      handle: (exchange, gateway) => targets.remove(exchange, gateway),
      describe: () => described({ summary: 'Delete a target of an organization', mayConflict: true }),
    },
    {
      ...{ method: 'POST', path: `${base}/:id/test`, role: 'editor', reach: 'org' },
      handle: (exchange, gateway) => targets.test(exchange, gateway),
      describe: () => described({ summary: 'Send a test alert to a target, and say what came of it' }),
    },
    {
      ...{ method: 'GET', path: messages, role: 'viewer', reach: 'org' },
      handle: exchange => sent.list(exchange),
      describe: () =>
        described({
          summary: 'List messages to targets, the newest first',
          query: [...pageParameters, ...messageFilters],
          lists: messageShown,
        }),
    },
    {
      ...{ method: 'POST', path: `${messages}/:id/resend`, role: 'editor', reach: 'org' },
      handle: (exchange, gateway) => sent.resend(exchange, gateway),
      describe: () => described({ summary: 'Send a message again that has failed', shows: messageShown, mayConflict: true }),
    },
  ]
}
