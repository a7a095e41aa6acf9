import { isPending } from '../../../../core/kit.ts'
import { rules } from '@secretlint/secretlint-rule-preset-recommend'

/** A find of one of secretlint's rules: `[start, end)`. */
export interface RuleMatch {
  readonly range: readonly [number, number]
  readonly messageId: string
}

/** The context that secretlint's rules need, as far as they use it. */
interface Rule {
  readonly meta: { readonly id: string; readonly supportedContentTypes: readonly string[] }
  create(context: object, options: object): { file?(source: object): unknown }
}

interface Report {
  readonly message: { readonly messageId: string }
  readonly range: readonly [number, number]
}

/** Without the rule that lets comments in a text turn the others off. */
const used = (rules as unknown as readonly Rule[]).filter(
  ({ meta }) => !meta.id.endsWith('-filter-comments') && meta.supportedContentTypes.some(type => type === 'text' || type === 'all'),
)

/** Runs the rules directly: secretlint itself compares each pair of their messages, which takes long for a text full of secrets. */
export async function ruleMatches(text: string): Promise<readonly RuleMatch[]> {
  const matches: RuleMatch[] = []
  const context = {
    createTranslator: () => (messageId: string) => ({ messageId, message: '' }),
    report: ({ message, range }: Report) => void matches.push({ range, messageId: message.messageId }),
    ignore() {},
  }
  const source = { content: text, filePath: 'text.txt', ext: '.txt', contentType: 'text' }
  for (const rule of used) {
    const running = rule.create(context, {}).file?.(source)
    if (isPending(running)) await running
  }
  return matches
}
