import type { Bill } from '../billing/cost.ts'
import type { Reservation } from '../limits/reservation.ts'

/** Takes the bill of model calls, and settles what is held for them: the operation, or one call of it that is settled alone. */
export interface Payer {
  readonly bill: Bill
  hold(reservation: Reservation): void
  /** Waits for the promise before the bill is settled. */
  owe<T>(adding: Promise<T>): Promise<T>
}
