const stored = 'turnpike-signed-in'

/** Tells an ended session from a first visit. */
export function wasSignedIn(): boolean {
  try {
    return localStorage.getItem(stored) !== null
  } catch {
    return false
  }
}

export function rememberSignIn(): void {
  try {
    localStorage.setItem(stored, 'yes')
  } catch {
    // The browser keeps nothing.
  }
}

export function forgetSignIn(): void {
  try {
    localStorage.removeItem(stored)
  } catch {
    // It kept nothing.
  }
}
