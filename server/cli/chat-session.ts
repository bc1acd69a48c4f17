import { EventEmitter, once } from 'node:events'
import readline from 'node:readline'
import type { Readable } from 'node:stream'
import type { Conversation, ConversationsStreamEvent, NewConversation } from '../../sdk/src/index.ts'
import { Problem } from '../kit/problem.ts'
import { type ApiClient, ApiError } from './api-client.ts'
import type { Screen } from './chat-screen.ts'

/** Limits the wait for an answer. An answer with all its tools takes less. */
const answer_max_ms = 15 * 60_000

export interface Chat {
  api: ApiClient
  start: NewConversation
  screen: Screen
  input: Readable
  /** Whether the contact may interrupt the agent. Otherwise each line waits for the answer to the one before. */
  may_interrupt: boolean
  onRefused: (error: ApiError) => void
  signal: AbortSignal
}

/** Holds a conversation until the agent, the input or the signal ends it, and closes it. */
export async function holdConversation(chat: Chat): Promise<void> {
  const conversation = await chat.api.conversations.create(chat.start)
  chat.screen.begin(conversation)
  const over = new AbortController()
  const session = new Session(chat, conversation, AbortSignal.any([chat.signal, over.signal]))
  try {
    const following = session.follow()
    await Promise.race([following, session.readInput(following), aborted(chat.signal)])
  } finally {
    over.abort()
    await session.close()
  }
}

class Session {
  readonly #chat: Chat
  readonly #signal: AbortSignal
  readonly #changes = new EventEmitter()
  #conversation: Conversation
  /** The number of the last turn that was shown. */
  #last_seq = 0
  /** The number of the last turn that the contact has sent. */
  #sent_seq = 0
  #shown_status: Conversation['status'] = 'open'

  constructor(chat: Chat, conversation: Conversation, signal: AbortSignal) {
    this.#chat = chat
    this.#conversation = conversation
    this.#signal = signal
  }

  /** Shows everything that happens, until the conversation is closed. */
  async follow(): Promise<void> {
    const { conversations } = this.#chat.api
    const signal = this.#signal
    try {
      for await (const event of conversations.stream(this.#conversation.id, { lastEventId: 0 }, { signal }))
        this.#take(event)
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  #take({ type, data }: ConversationsStreamEvent): void {
    const { screen } = this.#chat
    if (type === 'turn.started') screen.beginTurn(data.seq)
    else if (type === 'turn.delta') screen.addPiece(data.seq, data.text)
    else {
      if (type === 'turn.finished') {
        this.#last_seq = data.turn.seq
        screen.addTurn(data.turn)
      } else this.#update(data.conversation)
      this.#react()
    }
  }

  #update(conversation: Conversation): void {
    if (conversation.updated_at >= this.#conversation.updated_at) this.#conversation = conversation
  }

  #react(): void {
    const { screen } = this.#chat
    const { status } = this.#conversation
    if (this.#is_complete && status !== this.#shown_status) {
      this.#shown_status = status
      screen.changeStatus(this.#conversation)
    }
    if (this.#is_settled && status !== 'closed') screen.prompt()
    this.#changes.emit('change')
  }

  /** Whether all turns that are known were shown. */
  get #is_complete(): boolean {
    const { turn_count } = this.#conversation
    return turn_count >= this.#sent_seq && this.#last_seq >= turn_count
  }

  /** Whether nothing more is to be expected from the agent. */
  get #is_settled(): boolean {
    const { status, is_answering } = this.#conversation
    return this.#is_complete && (status !== 'open' || !is_answering)
  }

  /** Sends each line, until the input ends. */
  async readInput(following: Promise<void>): Promise<void> {
    const { screen, input, may_interrupt } = this.#chat
    await this.#settle()
    // The interface has no terminal of its own, so the terminal's settings stay as they are.
    const lines = readline.createInterface({ input, terminal: false, crlfDelay: Number.POSITIVE_INFINITY })
    this.#signal.addEventListener('abort', () => lines.close())
    for await (const line of lines) {
      screen.endPrompt()
      const text = line.trim()
      if (text === '/end') return
      const is_open = text === '' || (await this.#send(text))
      if (!is_open) return following
      this.#react()
      if (!may_interrupt) await this.#settle()
    }
  }

  /** Sends a line. Returns false if the conversation has ended meanwhile. */
  async #send(text: string): Promise<boolean> {
    const { api, onRefused } = this.#chat
    try {
      this.#sent_seq = (await api.conversations.say(this.#conversation.id, { text })).seq
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'INVALID_STATE') return false
      if (error.code !== 'VALIDATION_ERROR') throw error
      onRefused(error)
    }
    return true
  }

  async #settle(): Promise<void> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(answer_max_ms)])
    try {
      while (!this.#is_settled) await once(this.#changes, 'change', { signal })
    } catch (error) {
      throw new Problem('SERVICE_UNAVAILABLE', 'the agent has not answered in time', {}, {}, error)
    }
  }

  async close(): Promise<void> {
    if (this.#conversation.status === 'closed') return
    try {
      const closed = await this.#chat.api.conversations.close(this.#conversation.id)
      this.#chat.screen.changeStatus(closed)
    } catch {
      // The conversation was closed meanwhile, or the service has stopped: then it is closed when it has been idle for
      // a day.
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (signal.aborted) resolve()
  signal.addEventListener('abort', () => resolve())
  return promise
}
