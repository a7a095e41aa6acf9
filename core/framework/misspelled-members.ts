import leven from 'leven'

/**
 * Members that no contract has, each with the member that was probably meant: one of `known` that the object does not have. `letters`: as
 * many may differ, but not more than a third of the name. An object may have members of its own, whose names are like ours by chance.
 */
export function misspelledMembers(given: object, known: object, letters: number): readonly (readonly [given: string, meant: string])[] {
  const absent = Object.keys(known).filter(name => given[name as keyof typeof given] === undefined)
  if (absent.length === 0) return []
  return unknownMembers(given, known).flatMap(name => {
    const meant = absent.find(each => isLike(name, each, letters))
    return meant === undefined ? [] : [[name, meant] as const]
  })
}

export function unknownMembers(given: object, known: object): readonly string[] {
  return namesOf(given).filter(name => !(name in known))
}

function isLike(name: string, known: string, letters: number): boolean {
  return leven(name.toLowerCase(), known.toLowerCase()) <= Math.min(letters, Math.floor(known.length / 3))
}

/** Its own members, and the methods of its class. */
function namesOf(given: object): readonly string[] {
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(given) ?? {})
  const isOfClass = Object.getPrototypeOf(given) !== Object.prototype
  return [...Object.keys(given), ...(isOfClass ? methods.filter(name => name !== 'constructor') : [])]
}
