// stdnum takes too long for a text full of numbers. The detectors have already checked their form.

interface Check {
  validate(value: string): { readonly isValid: boolean }
}

const letters = 'TRWAGMYFPDXBNJZSQVHLCKE'

/** Spanish identity numbers: eight digits and a letter. */
export const dni: Check = { validate: value => ({ isValid: hasLetter(plain(value)) }) }

/** Spanish numbers of foreigners: X, Y or Z in place of the first digit. */
export const nie: Check = {
  validate(value) {
    const number = plain(value)
    return { isValid: hasLetter('XYZ'.indexOf(number[0]!) + number.slice(1)) }
  },
}

/** French numbers of the national register: https://www.insee.fr/fr/metadonnees/definition/c1409. The departments of Corsica have letters. */
export const nir: Check = {
  validate(value) {
    const number = plain(value).replace('2A', '19').replace('2B', '18')
    return { isValid: 97 - (Number(number.slice(0, 13)) % 97) === Number(number.slice(13)) }
  },
}

/** Numbers known from advertisements and samples. */
const knownSsns = new Set(
  (
    '002281852 042103580 062360749 078051120 095073645 111111111 123123123 128036045 135016629 141186941 165167999 165187999 165207999 ' +
    '165227999 165247999 189092294 212097694 212099999 219099999 222222222 306302348 308125070 333333333 444444444 457555462 468288779 ' +
    '549241889 555555555 777777777 888888888'
  ).split(' '),
)

/** US social security numbers: https://www.ssa.gov/employer/randomizationfaqs.html. They have no check digit. */
export const ssn: Check = {
  validate(value) {
    // Most are written as `536-90-4399`.
    const number = value.length === 11 ? value.slice(0, 3) + value.slice(4, 6) + value.slice(7) : plain(value)
    return { isValid: !/^(?:000|666|9|\d{3}00)/.test(number) && !knownSsns.has(number) }
  },
}

/** UK national insurance numbers: https://www.gov.uk/hmrc-internal-manuals/national-insurance-manual/nim39110. They have no check digit. */
export const nino: Check = { validate: value => ({ isValid: !/^(?:.?[DFIQUV]|.O|BG|GB|KN|NK|NT|TN|ZZ)/i.test(value) }) }

/** Indian tax numbers: the holder's kind is the fourth letter. They have no known check digit. */
export const pan: Check = { validate: value => ({ isValid: value.slice(5, 9) !== '0000' }) }

/** Brazilian tax numbers: two check digits. */
export const cpf: Check = {
  validate(value) {
    const number = plain(value)
    return { isValid: cpfDigit(number, 9) === number.charCodeAt(9) - zero && cpfDigit(number, 10) === number.charCodeAt(10) - zero }
  },
}

function cpfDigit(number: string, size: number): number {
  let sum = 0
  for (let place = 0; place < size; place++) sum += (number.charCodeAt(place) - zero) * (size + 1 - place)
  return sum % 11 < 2 ? 0 : 11 - (sum % 11)
}

/** Dutch citizen numbers. */
export const bsn: Check = {
  validate(value) {
    const number = plain(value)
    let sum = -(number.charCodeAt(8) - zero)
    for (let place = 0; place < 8; place++) sum += (number.charCodeAt(place) - zero) * (9 - place)
    return { isValid: sum % 11 === 0 }
  },
}

/** German tax numbers: a check digit (ISO 7064, mod 11, 10), and a digit that occurs twice or three times. */
export const idnr: Check = {
  validate(value) {
    const number = plain(value)
    const counts = new Uint8Array(10)
    let product = 10
    for (let place = 0; place < 10; place++) {
      const digit = number.charCodeAt(place) - zero
      counts[digit]!++
      product = (((digit + product) % 10 || 10) * 2) % 11
    }
    const repeated = counts.filter(count => count > 1)
    if (number[0] === '0' || (repeated.length > 1 && repeated[0]! <= 3)) return { isValid: false }
    return { isValid: (product + number.charCodeAt(10) - zero) % 10 === 1 }
  },
}

/** Indian identity numbers: a check digit by Verhoeff. None reads the same backwards. */
export const aadhaar: Check = {
  validate(value) {
    const number = plain(value)
    let check = 0
    let isMirrored = true
    for (let place = 0; place < number.length; place++) {
      const code = number.charCodeAt(number.length - 1 - place)
      isMirrored &&= code === number.charCodeAt(place)
      check = product(check, permuted[place % 8]![code - zero]!)
    }
    return { isValid: check === 0 && !isMirrored }
  },
}

/** Verhoeff's permutation, applied zero times, once, and so on. */
const permuted: (readonly number[])[] = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]
for (let times = 1; times < 8; times++) permuted.push(permuted[times - 1]!.map(digit => [1, 5, 7, 6, 2, 8, 3, 0, 9, 4][digit]!))

/** In the symmetry group of a pentagon. */
function product(a: number, b: number): number {
  const sum = a < 5 ? (a + b) % 5 : (a - b + 10) % 5
  return a < 5 === b < 5 ? sum : sum + 5
}

const zero = 0x30

function hasLetter(number: string): boolean {
  return letters[Number(number.slice(0, 8)) % letters.length] === number[8]
}

function plain(value: string): string {
  return value.replaceAll(/[ .-]/g, '').toUpperCase()
}
