import * as codiceFiscale from 'stdnum/lib/cjs/it/codicefiscale.js'
import { aadhaar, bsn, cpf, dni, idnr, nie, nino, nir, pan, ssn } from './number-checks.ts'
import { announcements, matching, type Detector, type Find } from './detector.ts'

interface IdNumber {
  validate(value: string): { readonly isValid: boolean }
}

/** A number in a form that hardly anything else has. */
function written(expression: RegExp, number: IdNumber): Find {
  return matching(expression, match => number.validate(match.includes('.') ? match.replaceAll('.', '') : match).isValid)
}

/** A bare number whose check digit alone proves little: one of these words must stand before it. */
function announced(expression: RegExp, words: RegExp, number: IdNumber): Find {
  return text => {
    const isAnnounced = announcements(text, words)
    return matching(expression, (match, _, start) => isAnnounced(start) && number.validate(match).isValid)(text)
  }
}

const finds: readonly Find[] = [
  written(/(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])/g, ssn),
  announced(/(?<![\d.-])\d{3}[ .]?\d{2}[ .]?\d{4}(?!\.?\d|-)/g, /\bssn\b|social security/gi, ssn),
  written(/(?<![A-Za-z0-9])[A-Za-z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-Da-d](?![A-Za-z0-9])/g, nino),
  written(/(?<![\d.])\d{2} \d{3} \d{3} \d{3}(?!\d)/g, idnr),
  announced(/(?<!\d)\d{11}(?!\d)/g, /steuer|\bidnr\b|\bid-?nr\b|tax id/gi, idnr),
  written(/(?<!\d)[12] ?\d{2} ?\d{2} ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}(?!\d)/g, nir),
  written(/(?<![A-Za-z0-9])\d{8}(?:-?[A-Za-z]| [A-Z])(?![A-Za-z0-9])/g, dni),
  written(/(?<![A-Za-z0-9.])\d{2}\.\d{3}\.\d{3}-?[A-Za-z](?![A-Za-z0-9])/g, dni),
  written(/(?<![A-Za-z0-9])[XYZxyz][ -]?\d{7}[ -]?[A-Za-z](?![A-Za-z0-9])/g, nie),
  written(/(?<![A-Za-z0-9])[A-Za-z]{6}\d{2}[A-Za-z]\d{2}[A-Za-z]\d{3}[A-Za-z](?![A-Za-z0-9])/g, codiceFiscale),
  written(/(?<![\d.])\d{4}\.\d{2}\.\d{3}(?!\.?\d)/g, bsn),
  announced(/(?<!\d)\d{9}(?!\d)/g, /\bbsn\b|burgerservicenummer|sofinummer/gi, bsn),
  written(/(?<![\d.])\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)/g, cpf),
  announced(/(?<!\d)\d{11}(?!\d)/g, /\bcpf\b/gi, cpf),
  written(/(?<!\d|\d[ -])[2-9]\d{3}([ -])\d{4}\1\d{4}(?![ -]?\d)/g, aadhaar),
  announced(/(?<!\d)[2-9]\d{11}(?!\d)/g, /aadhaar|\buid\b/gi, aadhaar),
  written(/(?<![A-Za-z0-9])[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z](?![A-Za-z0-9])/g, pan),
]

/** Identity, tax and social security numbers with right check digits, of the US, UK, Germany, France, Spain, Italy, the Netherlands, Brazil and India. */
export const nationalId: Detector = {
  label: 'NATIONAL_ID',
  find(text) {
    // stdnum creates an error for each invalid number, and spends most of its time on their stacks.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    try {
      return finds.flatMap(find => find(text))
    } finally {
      Error.stackTraceLimit = stackTraceLimit
    }
  },
}
