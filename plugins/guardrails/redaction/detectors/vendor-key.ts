import { matching, type Span } from './detector.ts'
import { nextStarts, runEnds } from './runs.ts'

// Their beginnings and conditions overlap, so each has its own search: a single expression would read a text many times.

const beginnings =
  /(?<![A-Za-z0-9])(?:sk-|eyJ|(?:gsk|cpk|csk|fw|fpk|gho|ghp|ghr|ghs|ghu|glpat|hf|key|lin_api|npm|nvapi|pplx|r8|rc|rpa|shpat|shpca|shppa|shpss|sk|syn|tgp_v1|tk|up|vck|wandb_v1|xai|dop_v1)[-_])/g
const matches = matching(beginnings)
const word = /[A-Za-z0-9_-]+/y
const shortest = 20
const longest = 256
/** The latest position in a key at which its long run of letters and digits may begin. */
const latestRun = 64
const latestDigit = 128

/** The keys of vendors that begin with a word and have a long run of letters and digits, and JSON web tokens. */
export function vendorKeys(text: string): readonly Span[] {
  const spans: Span[] = []
  const endOf = runEnds(text, word)
  const endOfToken = tokenEnds(text)
  const isKey = keyTest(text)
  let from = 0
  for (const { start, end: begin } of matches(text)) {
    if (start < from) continue
    const wordEnd = endOf(begin)
    const end = text.startsWith('eyJ', start) ? endOfToken(begin, wordEnd) : Math.min(wordEnd, begin + longest)
    if (end === undefined || !(text.startsWith('eyJ', start) || isKey(begin, end, text.startsWith('sk-', start)))) continue
    spans.push({ start, end })
    from = end
  }
  return spans
}

/** True if the characters between look like those of a key. */
function keyTest(text: string): (begin: number, end: number, isSecretKey: boolean) => boolean {
  const next16 = nextStarts(text, /[A-Za-z0-9]{16}/g)
  const next12 = nextStarts(text, /[A-Za-z0-9]{12}/g)
  const nextDigit = nextStarts(text, /\d/g)
  return (begin, end, isSecretKey) => {
    if (end - begin < shortest) return false
    const holds = (at: number, size: number): boolean => at <= begin + latestRun && at + size <= end
    if (isSecretKey && holds(next16(begin), 16)) return true
    // Words in a name can look like the rest of a key, but have no digits.
    return holds(next12(begin), 12) && nextDigit(begin) < Math.min(end, begin + latestDigit)
  }
}

const shortestPart = 10

/** The end of a token whose first part is between `begin` and `end`. */
function tokenEnds(text: string): (begin: number, end: number) => number | undefined {
  const endOfPayload = runEnds(text, word)
  const endOfSignature = runEnds(text, word)
  return (begin, end) => {
    const payload = end + '.eyJ'.length
    if (end - begin < shortestPart || !text.startsWith('.eyJ', end)) return undefined
    const signature = endOfPayload(payload) + 1
    if (signature - 1 - payload < shortestPart || text[signature - 1] !== '.') return undefined
    const last = endOfSignature(signature)
    return last - signature < shortestPart ? undefined : last
  }
}
