import type { Call, CallsLiveEvent } from '../../sdk/src/index.ts'
import { type ApiClient, ApiError } from './api-client.ts'
import type { CallScreen } from './call-screen.ts'

/** Limits the wait for the end of a call after hanging up. */
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

type Part = Extract<CallsLiveEvent, { type: 'turn.started' | 'turn.delta' }>

const isPart = (event: CallsLiveEvent): event is Part => event.type === 'turn.started' || event.type === 'turn.delta'

class CallSession {
  readonly #given: CallToFollow
  call: Call
  /** The last turn that was shown. */
  #last_seq = 0
  /** Parts of a turn that have arrived before the end of the turn before it. They are shown after that. */
  #early: Part[] = []

  constructor(given: CallToFollow) {
    this.#given = given
    this.call = given.call
  }

  get is_over(): boolean {
    return isFinal(this.call)
  }

  /** Follows until the call has ended and all of it was shown, or the signal is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    const { calls } = this.#given.api
    try {
      for await (const event of calls.live(this.call.id, { lastEventId: this.#last_seq }, { signal })) this.#take(event)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  #take(event: CallsLiveEvent): void {
    const { type, data } = event
    const { screen } = this.#given
    // An open turn begins again after a lost connection.
    if (type === 'turn.started') this.#early = this.#early.filter((early) => early.data.seq !== data.seq)
    if (isPart(event) && event.data.seq > this.#last_seq + 1) this.#early.push(event)
    else if (type === 'turn.started') screen.beginTurn(data)
    else if (type === 'turn.delta') screen.addPiece(data)
    else if (type === 'turn.finished') {
      this.#last_seq = data.turn.seq
      screen.addTurn(data.turn)
      const early = this.#early.splice(0)
      for (const event of early) if (event.data.seq > this.#last_seq) this.#take(event)
    } else if (type === 'call.updated') this.#update(data.call)
  }

  #update(call: Call): void {
    if (call.updated_at <= this.call.updated_at) return
    this.call = call
    this.#given.screen.update(call)
  }

  /** Ends the call. It is hung up after its answer, and canceled before. It may be answered between two requests. */
  async hangUp(): Promise<void> {
    const { calls } = this.#given.api
    for (const verb of ['hangUp', 'cancel', 'hangUp'] as const) {
      try {
        return this.#update(await calls[verb](this.call.id))
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'INVALID_STATE') throw error
      }
    }
  }
}
