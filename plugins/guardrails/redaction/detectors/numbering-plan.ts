import { getCountries, getCountryCallingCode, isValidPhoneNumber, Metadata, type CountryCode } from 'libphonenumber-js/max'

// Reads libphonenumber's plans directly: its own functions take many times as long, and numbers are everywhere.

/** Data of `libphonenumber-js` that its types do not declare. */
interface Plan {
  nationalPrefix(): string | undefined
  /** The possible numbers of digits after the country code. */
  possibleLengths(): readonly number[]
  type(name: string): { pattern(): string | undefined } | undefined
}

const types = ['FIXED_LINE', 'MOBILE', 'TOLL_FREE', 'PREMIUM_RATE', 'SHARED_COST', 'PERSONAL_NUMBER', 'VOICEMAIL', 'UAN', 'PAGER', 'VOIP']
interface Code {
  readonly lengths: ReadonlySet<number>
  readonly expression: RegExp
}

const codes = new Map<string, Code>()
const callingCodes = Map.groupBy(getCountries(), country => String(getCountryCallingCode(country)))

/** True if digits are a number as it is dialled within one of these countries. */
export function nationalNumbers(countries: readonly CountryCode[]): (digits: string) => boolean {
  let expression: RegExp | undefined
  return digits => {
    expression ??= new RegExp(`^(?:${countries.map(dialledIn).join('|')})$`)
    return expression.test(digits)
  }
}

/** True if these digits are a number with the code of its country. */
export function isInternationalNumber(digits: string): boolean {
  for (let length = 1; length <= 3; length++) {
    const code = digits.slice(0, length)
    const countries = callingCodes.get(code)
    if (!countries) continue
    let known = codes.get(code)
    if (!known) codes.set(code, (known = codeOf(countries.map(planOf))))
    return known.lengths.has(digits.length - length) && known.expression.test(digits.slice(length))
  }
  // Codes that belong to no country, such as 800.
  return isValidPhoneNumber(`+${digits}`)
}

/** Most digits that are not a phone number have the wrong length, which is quicker to check. */
function codeOf(plans: readonly Plan[]): Code {
  return {
    lengths: new Set(plans.flatMap(plan => plan.possibleLengths())),
    expression: new RegExp(`^(?:${plans.map(patternOf).join('|')})$`),
  }
}

function dialledIn(country: CountryCode): string {
  const plan = planOf(country)
  return `(?:${plan.nationalPrefix() ?? ''})?(?:${patternOf(plan)})`
}

function planOf(country: CountryCode): Plan {
  const metadata = new Metadata() as Metadata & { readonly numberingPlan: Plan }
  metadata.selectNumberingPlan(country)
  return metadata.numberingPlan
}

function patternOf(plan: Plan): string {
  return types
    .map(type => plan.type(type)?.pattern())
    .filter(pattern => pattern)
    .join('|')
}
