import type { AlertSeverity } from '../../../../core/stores.ts'
import type { Notice } from '../notice.ts'
import { fittedText } from './fitted-text.ts'

// The limits of an embed: https://discord.com/developers/docs/resources/message#embed-object-embed-limits. All texts together may have 6,000
// characters: with ten facts, these are 5,756.
const maxTitle = 256
const maxDescription = 2_000
const maxFields = 10
const maxName = 100
const maxValue = 250

const colors: Readonly<Record<AlertSeverity, number>> = { info: 0x2e9e5b, warning: 0xd9a514, critical: 0xc93434 }

/** A message with an embed. It may mention nobody, and Markdown is escaped. */
export function discordBody({ word, severity, title, message, facts, at }: Notice): object {
  return {
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: fittedText(`${word}: ${title}`, maxTitle, escape),
        description: fittedText(message, maxDescription, escape),
        color: colors[severity],
        timestamp: new Date(at).toISOString(),
        fields: facts.slice(0, maxFields).map(([name, value]) => ({
          name: fittedText(name, maxName, escape),
          value: fittedText(value, maxValue, escape),
          inline: true,
        })),
      },
    ],
  }
}

function escape(text: string): string {
  return text.replaceAll(/[\\`*_~|<>[\]()#@:]/g, '\\$&')
}
