import type { DashboardPage } from '../../../core/admin.ts'
import { PluginError, type Registry } from '../../../core/index.ts'

/** The dashboard's own pages, apart from the first one. */
export const ownPages: ReadonlySet<string> = new Set([
  'accounts',
  'alerts',
  'keys',
  'logs',
  'models',
  'playground',
  'providers',
  'settings',
])

/** Ids that pages of plugins cannot have: the dashboard's own pages, and other addresses of its listener. */
export const ownAddresses: ReadonlySet<string> = new Set([
  ...ownPages,
  'admin',
  'app',
  'live',
  'modules',
  'openid',
  'openid-callback',
  'ready',
  'session',
])

/** Throws a `PluginError` for a page that could not be reached. */
export function checkPages(pages: Registry<DashboardPage>): void {
  const taken = pages.values().find(({ id }) => ownAddresses.has(id))
  if (taken)
    throw new PluginError(
      pages.pluginOf(taken.id) ?? 'dashboard',
      `adds the dashboard page "${taken.id}", but the dashboard already has a page with this id. Choose another id.`,
    )
}
