import { isFinal } from './follow.ts'
import type { ChatMessage, ChatTurn } from './wire.ts'

/** A message that the visitor has written, until the server has it. */
export interface Outgoing {
  text: string
  /** The last turn that the page had when the message was first sent. By it the server recognizes a repetition. */
  after: string | undefined
  status: 'sending' | 'failed'
  /** Why it was not sent, if sending it again would not help. */
  error: string | undefined
  /** The element that shows the message. */
  element: HTMLElement
}

interface OutboxOptions {
  /** Waits until the chat has begun. */
  position: () => Promise<string>
  send: (message: { text: string; after: string }) => Promise<ChatMessage>
  onSent: (message: Outgoing, turn: ChatMessage) => void
  onFailed: (message: Outgoing) => void
}

/** Sends messages one after the other, so that they keep their order. */
export function openOutbox({ position, send, onSent, onFailed }: OutboxOptions) {
  const messages: Outgoing[] = []
  let is_sending = false

  const remove = (message: Outgoing): boolean => {
    const index = messages.indexOf(message)
    if (index >= 0) messages.splice(index, 1)
    return index >= 0
  }

  async function sendNext(): Promise<void> {
    const message = messages.find(({ status }) => status === 'sending')
    if (!message || is_sending) return
    is_sending = true
    try {
      message.after ??= await position()
      const turn = await send({ text: message.text, after: message.after })
      // If the turn came by the stream before the response, `take` has removed the message.
      if (remove(message)) onSent(message, turn)
    } catch (error) {
      if (messages.includes(message)) fail(message, error)
    }
    is_sending = false
    void sendNext()
  }

  function fail(message: Outgoing, error: unknown): void {
    message.status = 'failed'
    message.error = isFinal(error) && error instanceof Error ? error.message : undefined
    onFailed(message)
  }

  return {
    add(message: Pick<Outgoing, 'text' | 'element'>): void {
      messages.push({ ...message, after: undefined, status: 'sending', error: undefined })
      void sendNext()
    },
    retry(message: Outgoing): void {
      message.status = 'sending'
      void sendNext()
    },
    /** Removes and returns the message that the turn is, if the server has stored it and its response has not come. */
    take({ role, text }: Pick<ChatTurn, 'role' | 'text'>): Outgoing | undefined {
      const message =
        role === 'contact' ? messages.find((one) => one.after !== undefined && one.text === text) : undefined
      if (message) remove(message)
      return message
    },
  }
}
