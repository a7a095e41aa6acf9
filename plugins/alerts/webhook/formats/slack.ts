import type { Notice } from '../notice.ts'
import { fittedText } from './fitted-text.ts'

// The limits of Block Kit: https://docs.slack.dev/reference/block-kit/blocks
const maxHeader = 150
const maxSection = 3_000
const maxFields = 10
const maxField = 2_000

/** A message of blocks for an incoming webhook. All text is plain, so that Slack makes no links, mentions or formatting of it. */
export function slackBody({ word, title, message, facts, type, at }: Notice): object {
  const headline = `${word}: ${title}`
  return {
    text: fittedText(headline, maxSection, escape),
    blocks: [
      { type: 'header', text: plain(headline, maxHeader) },
      { type: 'section', text: plain(message, maxSection) },
      ...(facts.length === 0
        ? []
        : [{ type: 'section', fields: facts.slice(0, maxFields).map(([name, value]) => plain(`${name}: ${value}`, maxField)) }]),
      { type: 'context', elements: [plain(`${type}, ${new Date(at).toISOString()}`, maxField)] },
    ],
  }
}

function plain(text: string, most: number): object {
  return { type: 'plain_text', text: fittedText(text, most, escape), emoji: false }
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping: without these, `<!channel>` would call everyone. */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
