/** A text as detectors read it: without invisible characters, and with the usual forms of spaces, hyphens, digits and letters. */
export interface PlainText {
  readonly text: string
  /** The position in the original of each character of `text`. Absent if the positions are the same. */
  readonly places: ArrayLike<number> | undefined
}

/** The zeros of other scripts, where their digits begin. */
const zeros = [
  0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xde6, 0xe50, 0xed0, 0xf20, 0x1040, 0x17e0, 0x1810,
  0x1946, 0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0,
]
const forms = new Map<number, number>()
for (const zero of zeros) for (let digit = 0; digit < 10; digit++) forms.set(zero + digit, 0x30 + digit)
for (let code = 0xff01; code <= 0xff5e; code++) forms.set(code, code - 0xfee0)
// Where others write a colon and a space.
forms.delete(0xff1a)
for (const space of '\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000')
  forms.set(space.charCodeAt(0), 0x20)
for (const hyphen of '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63') forms.set(hyphen.charCodeAt(0), 0x2d)

/** Soft hyphens, joiners, marks of direction, selectors of forms. */
const unseen =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0'
/** The first half of tags and of more selectors. */
const tag = 0xdb40
const special = new RegExp(`[${unseen}\\u${tag.toString(16)}${[...forms.keys()].map(escaped).join('')}]`)

/** The replacement of each character. */
const formOf = new Uint16Array(0x1_0000)
const isUnseen = new RegExp(`[${unseen}]`)
const hidden = 0xffff
formOf[hidden] = hidden
for (let code = 0; code < hidden; code++) formOf[code] = isUnseen.test(String.fromCharCode(code)) ? hidden : (forms.get(code) ?? code)

export function plainText(original: string): PlainText {
  if (!special.test(original)) return { text: original, places: undefined }
  const units = new Uint16Array(original.length)
  const places = new Uint32Array(original.length)
  let seen = 0
  let highest = 0
  for (let index = 0; index < original.length; index++) {
    const code = original.charCodeAt(index)
    if (code === tag && isSecondHalf(original.charCodeAt(index + 1))) {
      index++
      continue
    }
    const form = formOf[code]!
    if (form === hidden && code !== hidden) continue
    highest |= form
    places[seen] = index
    units[seen++] = form
  }
  const text =
    highest < 0x100 ? Buffer.from(units.subarray(0, seen)).toString('latin1') : Buffer.from(units.buffer, 0, seen * 2).toString('utf16le')
  return { text, places: seen === original.length ? undefined : places }
}

function isSecondHalf(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

function escaped(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}
