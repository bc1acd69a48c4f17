import type { DueEnrollment } from './candidates.ts'
import type { Result } from './simulation.ts'

/** What campaigns that run together know of people whom several of them want to reach. */
export class SharedPeople {
  readonly #by_number = new Map<string, DueEnrollment[]>()
  /** Calls that began in the present second. */
  #begun: { others: DueEnrollment[]; time: number; result: Result }[] = []

  add(enrollments: DueEnrollment[]): void {
    for (const one of enrollments) {
      const { phone_number } = one.contact
      const same = this.#by_number.get(phone_number)
      if (same) same.push(one)
      else this.#by_number.set(phone_number, [one])
    }
  }

  /** In the second in which a call begins, nobody knows how it ends. */
  begin(one: DueEnrollment, time: number, result: Result): void {
    const others = this.#by_number.get(one.contact.phone_number)?.filter((other) => other !== one) ?? []
    if (others.length === 0) return
    for (const other of others) {
      other.attempted_at = [...other.attempted_at, time]
      other.open_until = Number.POSITIVE_INFINITY
    }
    this.#begun.push({ others, time, result })
  }

  passTo(now: number): void {
    const [earlier, begun] = [
      this.#begun.filter(({ time }) => time < now),
      this.#begun.filter(({ time }) => time === now),
    ]
    this.#begun = begun
    for (const { others, result } of earlier)
      for (const other of others) {
        other.open_until = result.ended_at
        if (result.is_opt_out) other.refusal = 'opted_out'
      }
  }
}
