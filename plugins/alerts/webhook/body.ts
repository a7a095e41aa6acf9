import type { AlertFormat } from '../../../core/stores.ts'
import { discordBody } from './formats/discord.ts'
import { jsonBody } from './formats/json.ts'
import { slackBody } from './formats/slack.ts'
import { teamsBody } from './formats/teams.ts'
import type { Notice } from './notice.ts'

const formats: Readonly<Record<AlertFormat, (notice: Notice) => object>> = {
  json: jsonBody,
  slack: slackBody,
  teams: teamsBody,
  discord: discordBody,
}

/** The body of the request that tells a target. */
export function bodyOf(format: AlertFormat, notice: Notice): string {
  return JSON.stringify(formats[format](notice))
}
