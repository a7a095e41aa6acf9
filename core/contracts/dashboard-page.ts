import type { AdminRole } from './admin-token-store.ts'

/** A page that a plugin adds to the dashboard: docs/dashboard.md. */
export interface DashboardPage {
  /** Its address below that of the dashboard, in kebab-case. */
  readonly id: string
  /** Shown in the navigation. */
  readonly title: string
  /**
   * The file of an ES module in JavaScript or erasable TypeScript, which the browser loads. It imports nothing. Its default export gets the
   * parts that the dashboard itself is built with, and returns a component.
   */
  readonly module: URL
  /** The lowest role that sees it in the navigation. Default: `viewer`. The admin API decides what the page may read and change. */
  readonly role?: AdminRole
}
