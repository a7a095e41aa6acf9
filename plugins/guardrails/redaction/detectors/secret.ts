import { lintSource } from '@secretlint/core'
import { creator } from '@secretlint/secretlint-rule-preset-recommend'
import { matching, type Detector, type Span } from './detector.ts'

const options = { config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator }] }, noPhysicFilePath: true }

/** The key forms of vendors, and of this gateway, that the rules do not cover. */
const keys = matching(
  new RegExp(
    [
      'sk-[A-Za-z0-9_-]{20,256}',
      '(?:sk-ant|sk-or|sk_live|rk_live|pk_live|sk_test)[-_][A-Za-z0-9_-]{16,256}',
      'AIza[A-Za-z0-9_-]{35}',
      '(?:gsk|hf|fw|nvapi|r8|xai|pplx|tgp_v1|csk|glpat|ghp|gho|ghs|ghu|npm|lin_api|dop_v1|syn|fpk|rpa|key)[-_][A-Za-z0-9_-]{20,256}',
      'github_pat_[A-Za-z0-9_]{22,255}',
      'tp_[0-9a-z]{12}_[0-9a-f]{48}',
      'ta_[A-Za-z0-9_]{20,256}',
      '(?:AKIA|ASIA|ABIA)[A-Z0-9]{16}',
      'ABSK[A-Za-z0-9+/=]{40,256}',
      'eyJ[A-Za-z0-9_-]{10,2048}\\.eyJ[A-Za-z0-9_-]{10,4096}\\.[A-Za-z0-9_-]{10,2048}',
      'whsec_[A-Za-z0-9+/=]{20,256}',
      'xox[abprs]-[A-Za-z0-9-]{10,256}',
    ]
      .map(form => `(?<![A-Za-z0-9])${form}(?![A-Za-z0-9])`)
      .join('|'),
    'g',
  ),
)

/** Whole blocks, or as much as there is of one. */
const privateKeys = matching(
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^-]{0,8000}(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g,
)

const urlPasswords = matching(/(?<=[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{0,100}:)[^\s@/]{1,200}(?=@)/gi)

/** API keys, tokens, private keys and credentials in URLs: secretlint's recommended rules, and the forms above. */
export const secret: Detector = {
  label: 'SECRET',
  async find(text) {
    const { messages } = await lintSource({ source: { filePath: 'text.txt', content: text, ext: '.txt', contentType: 'text' }, options })
    const linted = messages.map(({ range: [start, end] }): Span => ({ start, end: tokenEnd(text, end) }))
    return [...linted, ...keys(text), ...privateKeys(text), ...urlPasswords(text)]
  },
}

/** Some rules report a range that ends inside the secret. */
function tokenEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && /[A-Za-z0-9+/=_-]/.test(text[end]!)) end++
  return end
}
