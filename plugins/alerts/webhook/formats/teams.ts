import type { AlertSeverity } from '../../../../core/stores.ts'
import type { Notice } from '../notice.ts'
import { fittedText } from './fitted-text.ts'

// A message may have 28 KB.
const maxTitle = 300
const maxText = 2_000
const maxFact = 500

const colors: Readonly<Record<AlertSeverity, string>> = { info: 'Good', warning: 'Warning', critical: 'Attention' }

/**
 * An Adaptive Card for the webhook of a workflow. Text is in text runs, which know no Markdown, and the card declares no mentions, so that
 * `<at>` is only text.
 */
export function teamsBody({ word, severity, title, message, facts, type, at }: Notice): object {
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      block({ text: fittedText(`${word}: ${title}`, maxTitle), weight: 'Bolder', size: 'Medium', color: colors[severity] }),
      block({ text: fittedText(message, maxText) }),
      ...facts.map(([name, value]) =>
        block({ text: `${fittedText(name, maxFact)}: `, weight: 'Bolder' }, { text: fittedText(value, maxFact) }),
      ),
      block({ text: `${type}, ${new Date(at).toISOString()}`, isSubtle: true, size: 'Small' }),
    ],
  }
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }] }
}

function block(...runs: readonly object[]): object {
  return { type: 'RichTextBlock', inlines: runs.map(run => ({ type: 'TextRun', ...run })) }
}
