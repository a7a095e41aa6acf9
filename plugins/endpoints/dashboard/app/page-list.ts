import type { FunctionComponent } from 'preact'
import type { IconName } from './components/icon.ts'
import type { Role } from './session.ts'

/** A page of the dashboard. Its module is loaded when it is opened first. */
export interface PageEntry {
  /** Its address. Empty for the first page. */
  readonly id: string
  readonly title: string
  readonly icon: IconName
  readonly role?: Role
  /** `all`: not for those who see one organization only. */
  readonly reach?: 'org' | 'all'
  load(): Promise<{ readonly default: FunctionComponent }>
}

/** Every page, in the order of the navigation. */
export const pages: readonly PageEntry[] = [
  { id: '', title: 'Overview', icon: 'chart', load: () => import('./pages/overview.ts') },
  { id: 'logs', title: 'Logs', icon: 'list', load: () => import('./pages/logs.ts') },
  { id: 'alerts', title: 'Alerts', icon: 'bell', load: () => import('./pages/alerts/index.ts') },
  { id: 'keys', title: 'Keys', icon: 'key', load: () => import('./pages/keys/index.ts') },
  { id: 'accounts', title: 'Organizations', icon: 'people', load: () => import('./pages/accounts/index.ts') },
  { id: 'models', title: 'Models', icon: 'cube', reach: 'all', load: () => import('./pages/models.ts') },
  { id: 'providers', title: 'Providers', icon: 'plug', reach: 'all', load: () => import('./pages/providers.ts') },
  { id: 'playground', title: 'Playground', icon: 'play', role: 'editor', load: () => import('./pages/playground.ts') },
  { id: 'settings', title: 'Settings', icon: 'gear', load: () => import('./pages/settings/index.ts') },
]
