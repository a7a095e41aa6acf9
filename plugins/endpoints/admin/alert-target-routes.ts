import type { AdminRoute, AlertTargets } from '../../../core/admin.ts'
import { AlertMessages, messageFilters } from './alert-messages.ts'
import { messageShown, targetShown } from './alert-target-object.ts'
import { newTargetSchema, Targets, targetChangeSchema } from './alert-targets.ts'
import { described } from './descriptions.ts'
import { pageParameters } from './query.ts'
import type { Stores } from './stores.ts'

/** The routes of the targets of alerts, if a plugin has targets. */
export function alertTargetRoutes(stores: Stores, service: AlertTargets): readonly AdminRoute[] {
  const targets = new Targets(stores, service)
  const messages = new AlertMessages(stores, service)
  return [
    route('GET', '/alert-targets', e => targets.list(e), {
      summary: 'List the targets of alerts',
      query: [...pageParameters, 'org'],
      lists: targetShown,
    }),
    route('POST', '/alert-targets', (e, g) => targets.create(e, g), {
      summary: 'Create a target of an organization',
      request: newTargetSchema,
      shows: targetShown,
      status: 201,
    }),
    route('GET', '/alert-targets/:id', e => targets.get(e), { summary: 'Read a target', shows: targetShown }),
    route('PATCH', '/alert-targets/:id', (e, g) => targets.update(e, g), {
      summary: 'Change a target of an organization',
      request: targetChangeSchema,
      shows: targetShown,
    }),
    route('DELETE', '/alert-targets/:id', (e, g) => targets.remove(e, g), {
      summary: 'Delete a target of an organization',
      mayConflict: true,
    }),
    route('POST', '/alert-targets/:id/test', (e, g) => targets.test(e, g), {
      summary: 'Send a test alert to a target, and say what came of it',
    }),
    route('GET', '/alert-messages', e => messages.list(e), {
      summary: 'List messages to targets, the newest first',
      query: [...pageParameters, ...messageFilters],
      lists: messageShown,
    }),
    route('POST', '/alert-messages/:id/resend', (e, g) => messages.resend(e, g), {
      summary: 'Send a message again that has failed',
      shows: messageShown,
      mayConflict: true,
    }),
  ]
}

function route(
  method: AdminRoute['method'],
  path: string,
  handle: AdminRoute['handle'],
  description: Parameters<typeof described>[0],
): AdminRoute {
  const role = method === 'GET' ? 'viewer' : 'editor'
  return { method, path: `/admin/v1${path}`, role, reach: 'org', handle, describe: () => described(description) }
}
