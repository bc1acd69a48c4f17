import { isFinal, pause, waitAfter, withRetries } from './follow.ts'
import { openOutbox } from './outbox.ts'
import { keepToken, readToken } from './token.ts'
import * as view from './view.ts'
import {
  type ChatConversation,
  type ChatEvent,
  type ChatMessage,
  type ChatSession,
  type ChatTurn,
  get,
  type NewChatSession,
  post,
  Refusal,
  readStream,
} from './wire.ts'

const reconnecting = 'Connecting again…'
const offline = 'You are offline.'
/** The state that a conversation has when a message has just begun it. */
const newest = { status: 'open' as const, is_answering: true, has_phone_number: false }

/** Opens one visitor's chat: begins or resumes it, follows it, and sends what the visitor writes. */
export function openChat() {
  let token = readToken()
  let conversation: ChatConversation | undefined
  /** The last turn that came by the stream. All turns before it have come, too. */
  let last_seq = 0
  /** The last turn that the page has, from the stream or from a response. */
  let known_seq = 0
  let shown = new Set<number>()
  let following = new AbortController()
  const begun = Promise.withResolvers<void>()

  const positionAt = (seq: number): string => `${conversation?.id ?? ''}:${seq}`
  const outbox = openOutbox({
    position: () => begun.promise.then(() => positionAt(known_seq)),
    send: (message) => asVisitor((token) => post<ChatMessage>('messages', token, message)),
    onSent: (message, { conversation_id, ...turn }) => {
      const is_other = conversation !== undefined && conversation_id !== conversation.id
      if (is_other) setConversation({ ...newest, id: conversation_id })
      show(turn, message.element)
      if (is_other) follow()
    },
    onFailed: (message) => view.showFailed(message.element, message.error, () => outbox.retry(message)),
  })

  /** Shows a turn once. A turn that is a message which this page has sent replaces that message. */
  function show(turn: ChatTurn, sent?: HTMLElement): void {
    known_seq = Math.max(known_seq, turn.seq)
    if (shown.has(turn.seq)) {
      sent?.remove()
      return
    }
    shown.add(turn.seq)
    const element = sent ?? outbox.take(turn)?.element
    if (element) view.showSent(element, turn.seq)
    else view.showTurn(turn)
  }

  function setConversation(next: ChatConversation): void {
    const is_other = conversation !== undefined && conversation.id !== next.id
    conversation = next
    if (is_other) {
      view.hideDraft()
      view.beginSection()
      forgetTurns()
    }
    view.showConversation(next)
  }

  function forgetTurns(): void {
    last_seq = 0
    known_seq = 0
    shown = new Set()
  }

  function receive(event: ChatEvent): void {
    if (event.type === 'conversation.updated') setConversation(event.data.conversation)
    if (event.type === 'turn.delta') view.showDraft(event.data.text)
    if (event.type === 'turn.finished') finish(event.data.turn)
  }

  function finish(turn: ChatTurn): void {
    if (turn.role !== 'contact') view.hideDraft()
    last_seq = turn.seq
    show(turn)
    if (conversation) view.showConversation(conversation)
  }

  /** Repeats a request with a new token if the server doesn't know the one of this browser. */
  async function asVisitor<T>(request: (token: string) => Promise<T>): Promise<T> {
    if (token === undefined) throw new Error('the chat has not begun')
    try {
      return await request(token)
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 401) throw error
      await begin()
      follow()
      return request(token)
    }
  }

  async function begin(): Promise<void> {
    const session = await post<NewChatSession>('sessions', undefined, {})
    token = session.token
    keepToken(token)
    setConversation(session.conversation)
    view.showName(session.agent_name)
  }

  /** Continues the chat of this browser, or begins one. */
  async function beginOrResume(): Promise<void> {
    const session = token && (await get<ChatSession>('session', token).catch(ignoreUnknownToken))
    if (!session) return begin()
    view.showName(session.agent_name)
    setConversation(session.conversation)
    const is_first = shown.size === 0
    if (is_first) view.showHistory(session.turns)
    for (const { seq } of is_first ? session.turns : []) shown.add(seq)
    // The turns tell whether a person has answered.
    view.showConversation(session.conversation)
    last_seq = Math.max(last_seq, session.turns.at(-1)?.seq ?? 0)
    known_seq = Math.max(known_seq, last_seq)
  }

  /** Begins or resumes the chat, and follows it. Shows an error that another try would not mend. */
  async function start(): Promise<void> {
    following.abort()
    following = new AbortController()
    const { signal } = following
    try {
      await withRetries(beginOrResume, { signal, onFailure: showFailure })
      if (signal.aborted) return
      begun.resolve()
      follow()
    } catch (error) {
      showFinal(error)
    }
  }

  function follow(): void {
    following.abort()
    following = new AbortController()
    if (document.visibilityState === 'visible') followUntil(following.signal).catch(showFinal)
  }

  async function followUntil(signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      let failure: unknown
      const onOpen = () => {
        attempt = 0
        view.hideDraft()
        view.showNotice(undefined)
      }
      const position = positionAt(last_seq)
      await readStream({ token: token ?? '', position, signal, onOpen, onEvent: receive }).catch((error: unknown) => {
        failure = error
      })
      if (signal.aborted) return
      if (failure instanceof Refusal && failure.status === 401) return start()
      if (isFinal(failure)) throw failure
      if (failure) showFailure(failure)
      await pause(waitAfter(attempt, failure), signal)
    }
  }

  function showFailure(error: unknown): void {
    if (error instanceof Refusal && error.status === 429) view.showNotice(error.message)
    else view.showNotice(navigator.onLine ? reconnecting : offline)
  }

  function showFinal(error: unknown): void {
    if (error instanceof Refusal && error.status === 404) view.showUnavailable()
    else view.showNotice(error instanceof Error ? error.message : reconnecting)
  }

  // Browsers allow few connections per server across all tabs.
  document.addEventListener('visibilitychange', () => {
    if (conversation) follow()
  })
  addEventListener('offline', () => view.showNotice(offline))
  addEventListener('online', () => {
    view.showNotice(undefined)
    if (conversation) follow()
  })

  return {
    start,
    send(text: string): void {
      outbox.add({ text, element: view.showPending(text) })
    },
    async beginNew(): Promise<void> {
      await begin()
      view.clear()
      follow()
    },
    leavePhoneNumber: (phone_number: string) =>
      asVisitor((token) => post<{ phone_number: string }>('phone_number', token, { phone_number })),
  }
}

function ignoreUnknownToken(error: unknown): undefined {
  if (!(error instanceof Refusal) || error.status !== 401) throw error
}
