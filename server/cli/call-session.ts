import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from '../calls/schema.ts'
import { Problem } from '../kit/problem.ts'
import type { ApiClient, ServerEvent } from './api-client.ts'
import type { CallScreen } from './call-screen.ts'

const reconnects_max = 10
const reconnect_after_ms = 1_000
/** How long the end of a call is waited for after hanging up. */
const hang_up_max_ms = 10_000

export interface CallToFollow {
  api: ApiClient
  call: Call
  screen: CallScreen
  signal: AbortSignal
}

/** Shows a call until it has ended. When the signal is aborted, it hangs up first. */
export async function followCall(given: CallToFollow): Promise<void> {
  const { screen, signal } = given
  const session = new CallSession(given)
  screen.begin(given.call)
  await session.follow(signal)
  if (signal.aborted && !session.is_over) {
    await session.hangUp()
    await session.follow(AbortSignal.timeout(hang_up_max_ms))
  }
  screen.end(session.call)
}

const isFinal = ({ status }: Call): boolean => ['completed', 'failed', 'canceled'].includes(status)

class CallSession {
  readonly #given: CallToFollow
  readonly #path: string
  call: Call
  /** The last turn that was shown. */
  #last_seq = 0
  /** Parts of a turn can arrive before the end of the one before it. They are shown after it. */
  #early: ServerEvent[] = []

  constructor(given: CallToFollow) {
    this.#given = given
    this.call = given.call
    this.#path = `/calls/${given.call.id}`
  }

  get is_over(): boolean {
    return isFinal(this.call)
  }

  async follow(signal: AbortSignal): Promise<void> {
    const { api, screen } = this.#given
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        for await (const event of api.stream(`${this.#path}/live`, this.#last_seq, signal)) {
          failures = 0
          this.#take(event)
          if (this.#is_complete) return
        }
        this.#update(await api.send<Call>('GET', this.#path))
        if (this.is_over) return
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof Problem || failures >= reconnects_max) throw error
      }
      this.#early = []
      screen.restart()
      await sleep(reconnect_after_ms, undefined, { signal }).catch(() => {})
    }
  }

  /** Whether the call has ended, and all of it was shown. */
  get #is_complete(): boolean {
    return this.is_over && this.#last_seq >= this.call.turn_count
  }

  #take(event: ServerEvent): void {
    const { name, data } = event
    const { screen } = this.#given
    const is_part = name === 'turn.started' || name === 'turn.delta'
    if (is_part && data.seq > this.#last_seq + 1) this.#early.push(event)
    else if (name === 'turn.started') screen.beginTurn(data)
    else if (name === 'turn.delta') screen.addPiece(data)
    else if (name === 'turn.finished') {
      this.#last_seq = data.turn.seq
      screen.addTurn(data.turn)
      const early = this.#early.splice(0)
      for (const event of early) if (event.data.seq > this.#last_seq) this.#take(event)
    } else if (name === 'call.updated') this.#update(data.call)
  }

  #update(call: Call): void {
    if (call.updated_at <= this.call.updated_at) return
    this.call = call
    this.#given.screen.update(call)
  }

  /** A call is hung up after its answer, and canceled before. It may be answered between two requests. */
  async hangUp(): Promise<void> {
    for (const verb of ['hang_up', 'cancel', 'hang_up']) {
      try {
        return this.#update(await this.#given.api.send<Call>('POST', `${this.#path}/${verb}`))
      } catch (error) {
        if (!(error instanceof Problem) || error.code !== 'INVALID_STATE') throw error
      }
    }
  }
}
