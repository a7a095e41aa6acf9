import { lintSource } from '@secretlint/core'
import { creator } from '@secretlint/secretlint-rule-preset-recommend'
import { announcedSecrets } from './announced-secret.ts'
import { matching, type Detector } from './detector.ts'
import { privateKeys } from './private-key.ts'

/** Without the rule that lets comments in a text turn the others off. */
const rules = [{ id: '@secretlint/secretlint-rule-filter-comments', disabled: true }]
const options = {
  config: { rules: [{ id: '@secretlint/secretlint-rule-preset-recommend', rule: creator, rules }] },
  noPhysicFilePath: true,
}

/** What every secret that the rules find has in it. Without any of these, there is no need to ask them. */
const hints =
  /AKIA|A3T|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA|secret_?access_?key|PRIVATE KEY|x-oauth|_authToken|npm_|xox[a-z]-|xapp-|hooks\.slack|:\/\/[^\s@/]{1,300}@|sk-|gsk_|hf_|lin_api_|ntn_|SG\.|shp[a-z]{2}_|[sr]k_(?:live|test)_|gh[a-z]_|github_pat_|glpat-|glc_|glsa_|ops_|hv[sbr]\.|vc[a-z]_|dapi|dckr_|figd_|cf(?:k|ut|at)_|tskey-/i

/** The key forms of vendors, and of this gateway, that the rules do not cover. */
const keys = matching(
  new RegExp(
    `(?<![A-Za-z0-9])(?:${[
      'sk-(?=[A-Za-z0-9_-]{0,64}[A-Za-z0-9]{16})[A-Za-z0-9_-]{20,256}',
      '[srp]k_(?:live|test)_[A-Za-z0-9]{16,256}',
      'AIza[A-Za-z0-9_-]{35}',
      'AQ\\.[A-Za-z0-9_-]{40,128}',
      // With a digit in a long run, since words in a name can look like the rest of them.
      `(?:${'gsk cpk csk fw fpk gho ghp ghr ghs ghu glpat hf key lin_api npm nvapi pplx r8 rc rpa shpat shpca shppa shpss sk syn tgp_v1 tk up vck wandb_v1 xai dop_v1'
        .split(' ')
        .join('|')})[-_](?=[A-Za-z_-]{0,128}\\d)(?=[A-Za-z0-9_-]{0,64}[A-Za-z0-9]{12})[A-Za-z0-9_-]{20,256}`,
      'github_pat_[A-Za-z0-9_]{22,255}',
      'hf_[A-Za-z]{34}',
      'tp_[0-9a-z]{12}_[0-9a-f]{48}',
      'ta_[A-Za-z0-9_]{20,256}',
      '(?:AKIA|ASIA|ABIA)[A-Z0-9]{16}',
      'ABSK[A-Za-z0-9+/=]{40,256}',
      'LLM\\|\\d{10,20}\\|[A-Za-z0-9_-]{20,64}',
      '[0-9a-f]{32}\\.[A-Za-z0-9_-]{16,64}',
      'SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,128}',
      'eyJ[A-Za-z0-9_-]{10,4096}\\.eyJ[A-Za-z0-9_-]{10,8192}\\.[A-Za-z0-9_-]{10,2048}',
      'whsec_[A-Za-z0-9+/=]{20,256}',
      'xox[abprs]-[A-Za-z0-9-]{10,256}',
    ].join('|')})(?![A-Za-z0-9])`,
    'g',
  ),
)

/** Not `<password>`, `${PASSWORD}` and the like. A password may have an `@` too. */
const urlPasswords = matching(/(?<=[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{0,100}:)(?![<$*…{[])[^\s/"'<>]{1,200}(?=@)/gi)
const urlTokens = matching(/(?<=:\/\/)[^\s:@/]{1,200}(?=:x-oauth-basic@)/g)
const registryTokens = matching(/(?<=_authToken=["']?)[^\s$"']{4,500}/g)
const awsSecret = /[A-Za-z0-9/+=]{40}$/

/** API keys, tokens, private keys and credentials in URLs: secretlint's recommended rules, and the forms above. */
export const secret: Detector = {
  label: 'SECRET',
  findLong: privateKeys,
  async find(text) {
    const source = { filePath: 'text.txt', content: text, ext: '.txt', contentType: 'text' } as const
    const { messages } = hints.test(text) ? await lintSource({ source, options }) : { messages: [] }
    const exact = [...urlTokens(text), ...urlPasswords(text), ...registryTokens(text)]
    const linted = messages
      .map(({ range, messageId }) => {
        const end = tokenEnd(text, range[1])
        const [value] = (messageId === 'AWSSecretAccessKey' && awsSecret.exec(text.slice(range[0], end))) || []
        return { start: value === undefined ? range[0] : end - value.length, end }
      })
      // The rest of a URL or a line may matter to the model.
      .filter(span => !exact.some(({ start, end }) => start > span.start && start < span.end && end <= span.end + 512))
    return [...linted, ...exact, ...keys(text), ...announcedSecrets(text)]
  },
}

/** Some rules report a range that ends inside the secret. */
function tokenEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && /[A-Za-z0-9+/=_-]/.test(text[end]!)) end++
  return end
}
