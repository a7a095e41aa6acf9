import { ApiError } from '../../api.ts'

/** As in `GET /admin/v1/alert-targets`. */
export interface Target {
  readonly id: string
  /** Null: one of the operator, from the config. */
  readonly org: string | null
  readonly source: 'config' | 'api'
  readonly name: string
  readonly format: string
  readonly host: string
  /** The last characters of the address. */
  readonly url_end: string | null
  /** The last characters of each secret. */
  readonly secret_ends: readonly string[]
  /** Null: all. */
  readonly kinds: readonly string[] | null
  readonly min_severity: string
  /** The organizations whose alerts it gets. Null: all. */
  readonly orgs: readonly string[] | null
  readonly disabled: boolean
  readonly waiting: number
  readonly failed: number
  readonly delivered_at: string | null
  /** It answered that it is gone. */
  readonly ended_at: string | null
  readonly created_at: string | null
}

export const formats = [
  { value: 'json', label: 'JSON, signed as Standard Webhooks' },
  { value: 'slack', label: 'Slack' },
  { value: 'teams', label: 'Microsoft Teams' },
  { value: 'discord', label: 'Discord' },
]

export const severities = [
  { value: 'info', label: 'Everything, all-clears too' },
  { value: 'warning', label: 'Warnings and worse' },
  { value: 'critical', label: 'Critical only' },
]

export function formatName(format: string): string {
  return format === 'json' ? 'JSON' : (formats.find(({ value }) => value === format)?.label ?? format)
}

/** True if no plugin that has targets is loaded. */
export function hasNoTargets(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'not_loaded' || error.status === 404)
}
