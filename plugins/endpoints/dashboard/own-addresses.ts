import type { DashboardPage } from '../../../core/admin.ts'
import { PluginError, type Registry } from '../../../core/index.ts'

/** Ids that pages of plugins cannot have: the dashboard's own pages, and its other addresses. */
export const ownAddresses: ReadonlySet<string> = new Set([
  'accounts',
  'admin',
  'app',
  'keys',
  'logs',
  'models',
  'modules',
  'openid',
  'openid-callback',
  'playground',
  'providers',
  'session',
  'settings',
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
