import { branded } from '../foundation/brand.ts'

/** A mistake of a provider's plugin. The message completes a sentence that starts with the plugin's name, and quotes no content. */
export class ProviderMistake extends Error {
  static {
    branded(this, 'provider-mistake')
  }

  override readonly name = 'ProviderMistake'
  /** Nothing was sent to the vendor. */
  readonly isUnsent: boolean

  constructor(problem: string, { isUnsent = false, ...options }: ErrorOptions & { readonly isUnsent?: boolean } = {}) {
    super(problem, options)
    this.isUnsent = isUnsent
  }
}
