// Numbers that hold nothing but digits and a check, written without separators in a few characters: stdnum takes too long for a text full of them.

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

function hasLetter(number: string): boolean {
  return letters[Number(number.slice(0, 8)) % letters.length] === number[8]
}

function plain(value: string): string {
  return value.replaceAll(/[ .-]/g, '').toUpperCase()
}
