import { firstSpellingOf } from '../../consent/spellings.ts'
import type { DueEnrollment } from '../dial/candidates.ts'
import type { Result } from './simulation.ts'

/** Tells campaigns that run together about people whom several of them want to reach. */
export class SharedPeople {
  readonly #by_person = new Map<string, DueEnrollment[]>()
  /** The calls that began in the present second. */
  #begun: { others: DueEnrollment[]; with_number: DueEnrollment[]; time: number; result: Result }[] = []

  add(enrollments: DueEnrollment[]): void {
    for (const one of enrollments) {
      const person = firstSpellingOf(one.contact.phone_number)
      const same = this.#by_person.get(person)
      if (same) same.push(one)
      else this.#by_person.set(person, [one])
    }
  }

  /** Records that a call begins. Its end takes effect after this second, in which nobody knows how it ends. */
  begin(one: DueEnrollment, time: number, result: Result): void {
    const { phone_number } = one.contact
    const others = this.#by_person.get(firstSpellingOf(phone_number))?.filter((other) => other !== one) ?? []
    if (others.length === 0) return
    // Another spelling counts as another number for everything but opt-outs.
    const with_number = others.filter(({ contact }) => contact.phone_number === phone_number)
    for (const other of with_number) {
      other.attempted_at = [...other.attempted_at, time]
      other.open_until = Number.POSITIVE_INFINITY
    }
    this.#begun.push({ others, with_number, time, result })
  }

  passTo(now: number): void {
    const [earlier, begun] = [
      this.#begun.filter(({ time }) => time < now),
      this.#begun.filter(({ time }) => time === now),
    ]
    this.#begun = begun
    for (const { others, with_number, result } of earlier) {
      for (const other of with_number) other.open_until = result.ended_at
      if (result.is_opt_out) for (const other of others) other.refusal = 'opted_out'
    }
  }
}
