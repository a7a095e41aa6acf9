import type { ProviderFailure } from '../../contracts/provider.ts'
import { isObject, parseJson } from '../../foundation/json.ts'

const longestCode = 80
const longestBody = 64 * 1024

/** What the codes of vendors are made of. A code with any other word may quote the request, so it is not kept. */
const known = new Set(
  `
  abort aborted access account active agent already api argument auth authentication authorization availability available bad balance
  base base64 billing blocked body browsing busy call cancelled canceled capacity category chat check client close closed cloud code
  completion concurrency concurrent condition conflict connection constraint content context control country credential credentials
  credit credits currently daily data deadline decommissioned denied depleted deploy deployment deprecated detected disabled document
  due empty encoding endpoint engine enough entity error event exceed exceeded exception exceeds exhausted exist exists expired external
  extra fail failed failure fault feature field file filter filtered flagged forbidden format found free function gateway generation
  generic group guardrail guardrails hard harm header high hosted hour http id image in inactive incomplete incorrect inference input
  insufficient interrupted internal invalid issue item json key large last length license limit limited limits load loaded loading
  long malformed max maximum media message method minute missing model models moderation month must name negative network no not null
  object of on operation or organization out output over overload overloaded page parameter params param parse parsing pay payload
  payment per permission permissions plan policy precondition preview processing project prompt property protected provider
  quota range rate reached read ready reason region registered rejected remote request requests required reset resource resources
  response responsible ai restricted result retry role rpm safety schema security server service session setting short shutdown
  signature size slow soft source spend start state status stopped stream string subscription suspended support supported system
  temporarily temporary tenant terms text throttled throttling throttle tier time timed timeout to token tokens too tool tools total
  tpm trial type unable unacceptable unauthenticated unauthorized unavailable unexpected unimplemented unknown unmapped
  unprocessable unrecognized unsafe unspecified unsupported unverified up upgrade upstream url usage use user validation value
  verification verified version violated violation wait window with wrong zero
  `
    .split(/\s+/)
    .filter(Boolean),
)

/** The vendor's code for a failure, such as `rate_limit_exceeded`. Undefined if there is none that surely quotes nothing. */
export function vendorWord({ vendorCode, upstream }: ProviderFailure): string | undefined {
  const told = vendorCode ?? (upstream === undefined || upstream.length > longestBody ? undefined : codeIn(parseJson(upstream)))
  return told !== undefined && isKnown(told) ? told : undefined
}

function isKnown(code: string): boolean {
  if (code.length > longestCode) return false
  const words = code
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_.\- ]/)
  return words.every(word => known.has(word) || /^\d{1,5}$/.test(word))
}

/** Errors are an object, the only member of one, or the only element of a list. */
function codeIn(body: unknown): string | undefined {
  const whole: unknown = Array.isArray(body) ? body[0] : body
  if (!isObject(whole)) return undefined
  const error = isObject(whole['error']) ? whole['error'] : whole
  const places = [error['code'], error['status'], error['type'], error['__type'], whole['code'], whole['type'], whole['error']]
  // Google and others repeat the HTTP status in `code`.
  const texts = places.flatMap(place => (typeof place === 'string' && place !== '' && place !== 'error' ? [place] : []))
  return texts[0] ?? numbered(error['code'])
}

function numbered(code: unknown): string | undefined {
  return typeof code === 'number' ? String(code) : undefined
}
