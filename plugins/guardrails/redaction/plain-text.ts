/** A text as detectors read it: without characters that cannot be seen, and with the usual forms of spaces, hyphens, digits and letters. */
export interface PlainText {
  readonly text: string
  /** Where a character of `text` is in the original. Undefined if the places are the same. */
  readonly places: readonly number[] | undefined
}

/** Where the digits of other scripts begin: the zero of each. */
const zeros = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20, 0x1040, 0x17e0, 0x1810,
  0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0,
]
const forms = new Map<string, string>()
for (const zero of zeros) for (let digit = 0; digit < 10; digit++) forms.set(String.fromCharCode(zero + digit), String(digit))
for (let code = 0xff01; code <= 0xff5e; code++) forms.set(String.fromCharCode(code), String.fromCharCode(code - 0xfee0))
// Where others write a colon and a space.
forms.delete('\uff1a')
for (const space of '\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000')
  forms.set(space, ' ')
for (const hyphen of '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63') forms.set(hyphen, '-')

/** Soft hyphens, joiners, marks of direction, selectors of forms. */
const unseen =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0'
const hasUnseen = new RegExp(`[${unseen}]`)
const isUnseen = new RegExp(`^[${unseen}]$`)
/** Tags and more selectors. Each is two units of a string. */
const hasTags = /\udb40[\udc00-\udfff]/
const otherForms = new RegExp(`[${[...forms.keys()].map(key => `\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}]`, 'g')

export function plainText(original: string): PlainText {
  const text = original.replace(otherForms, character => forms.get(character)!)
  if (!hasUnseen.test(text) && !hasTags.test(text)) return { text, places: undefined }
  const places: number[] = []
  let seen = ''
  for (let index = 0; index < text.length; index++) {
    if (isUnseen.test(text[index]!)) continue
    if (text[index] === '\udb40' && hasTags.test(text.slice(index, index + 2))) {
      index++
      continue
    }
    seen += text[index]
    places.push(index)
  }
  return { text: seen, places }
}
