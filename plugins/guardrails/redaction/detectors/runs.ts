/**
 * The end of the run of characters that contains `from`. `from` must not decrease from call to call, so that all calls together read the
 * text once.
 */
export type RunEnd = (from: number) => number

/** `runs` matches one character or more, with the flag `y`. */
export function runEnds(text: string, runs: RegExp): RunEnd {
  let begin = 0
  let end = 0
  return from => {
    if (from >= begin && from < end) return end
    runs.lastIndex = from
    begin = from
    end = runs.test(text) ? runs.lastIndex : from
    return end
  }
}

/** The start of the next match at or after `from`, or `Infinity`. `from` must not decrease. `expression` needs the flag `g`. */
export function nextStarts(text: string, expression: RegExp): (from: number) => number {
  let next = -1
  return from => {
    if (next >= from) return next
    expression.lastIndex = from
    next = expression.exec(text)?.index ?? Infinity
    return next
  }
}
