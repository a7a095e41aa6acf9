import { announcedSecrets } from './announced-secret.ts'
import { matching, type Detector, type Span } from './detector.ts'
import { privateKeys } from './private-key.ts'
import { runEnds } from './runs.ts'
import { ruleMatches, type RuleMatch } from './secret-rules.ts'
import { vendorKeys } from './vendor-key.ts'

/** Every secret that the rules find contains one of these. Without any of them, the rules need not run. */
const hints =
  /AKIA|A3T|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA|secret_?access_?key|PRIVATE KEY|x-oauth|_authToken|npm_|xox[a-z]-|xapp-|hooks\.slack|:\/\/[^\s@/]{1,300}@|sk-|gsk_|hf_|lin_api_|ntn_|SG\.|shp[a-z]{2}_|[sr]k_(?:live|test)_|gh[a-z]_|github_pat_|glpat-|glc_|glsa_|ops_|hv[sbr]\.|vc[a-z]_|dapi|dckr_|figd_|cf(?:k|ut|at)_|tskey-/i

/** Key forms of vendors and of this gateway that the rules do not cover. `vendorKeys` has the rest. */
const keys = matching(
  new RegExp(
    `(?<![A-Za-z0-9])(?:${[
      '[srp]k_(?:live|test)_[A-Za-z0-9]{16,256}',
      'AIza[A-Za-z0-9_-]{35}',
      'AQ\\.[A-Za-z0-9_-]{40,128}',
      'github_pat_[A-Za-z0-9_]{22,255}',
      'hf_[A-Za-z]{34}',
      'tp_[0-9a-z]{12}_[0-9a-f]{48}',
      'ta_[A-Za-z0-9_]{20,256}',
      '(?:AKIA|ASIA|ABIA)[A-Z0-9]{16}',
      'ABSK[A-Za-z0-9+/=]{40,256}',
      'LLM\\|\\d{10,20}\\|[A-Za-z0-9_-]{20,64}',
      '[0-9a-f]{32}(?:\\.[0-9a-f]{32})?\\.[A-Za-z0-9_-]{16,64}',
      'SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,128}',
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
    const matches = hints.test(text) ? await ruleMatches(text) : []
    const exact = [...urlTokens(text), ...urlPasswords(text), ...registryTokens(text)].toSorted((a, b) => a.start - b.start)
    return [...withoutRest(inRules(text, matches), exact), ...exact, ...keys(text), ...vendorKeys(text), ...announcedSecrets(text)]
  },
}

const token = /[A-Za-z0-9+/=_-]+/y

/** Some rules report a range that ends inside the secret. */
function inRules(text: string, matches: readonly RuleMatch[]): readonly Span[] {
  const endOf = runEnds(text, token)
  return matches
    .toSorted((a, b) => a.range[1] - b.range[1])
    .map(({ range: [start, last], messageId }) => {
      const end = endOf(last)
      const [value] = (messageId === 'AWSSecretAccessKey' && awsSecret.exec(text.slice(Math.max(start, end - 40), end))) || []
      return { start: value === undefined ? start : end - value.length, end }
    })
    .toSorted((a, b) => a.start - b.start)
}

/** Drops spans in which an exact span begins: the rest of a URL or a line may matter to the model. Both lists are sorted. */
function withoutRest(spans: readonly Span[], exact: readonly Span[]): readonly Span[] {
  let next = 0
  return spans.filter(({ start, end }) => {
    while (next < exact.length && exact[next]!.start <= start) next++
    return next === exact.length || exact[next]!.start >= end
  })
}
