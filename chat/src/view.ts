import { byId, newScroller } from '../../voice/src/dom.ts'
import { durationText } from '../../voice/src/texts.ts'
import type { Words } from '../../voice/src/types.ts'
import type { ChatConversation, ChatTurn } from './wire.ts'

export const parts = {
  composer: byId<HTMLFormElement>('composer'),
  text: byId<HTMLTextAreaElement>('text'),
  phone: byId<HTMLFormElement>('phone'),
  number: byId<HTMLInputElement>('number'),
  phone_error: byId('phone-error'),
  leave: byId<HTMLButtonElement>('leave'),
  new_chat: byId<HTMLButtonElement>('new'),
  close: byId<HTMLButtonElement>('close'),
  talk: byId<HTMLButtonElement>('talk'),
  voice: byId('voice'),
  count: byId('count'),
}
const [name, who, log] = [byId('name'), byId('who'), byId('log')]
const [draft, typing, notice, ended] = [byId('draft'), byId('typing'), byId('notice'), byId('ended')]
export const { scrollToEnd, keepEndInView } = newScroller(byId('scroller'))

const authors: Record<ChatTurn['role'], string> = {
  contact: 'You',
  agent: 'Assistant',
  human: 'Person',
  system: 'Notice',
}
const who_answers: Record<ChatConversation['status'], string> = {
  open: 'You are chatting with an AI assistant.',
  handed_over: 'A person will answer here.',
  closed: 'You have chatted with an AI assistant.',
}
const person_answers = 'You are chatting with a person.'

/** Makes the element of a message. Its text is never read as markup. */
function newMessage(role: ChatTurn['role'], text: string): HTMLElement {
  const element = document.createElement('div')
  element.className = `message ${role}`
  const author = document.createElement('span')
  author.className = role === 'human' ? 'author' : 'hidden'
  author.textContent = role === 'human' ? authors[role] : `${authors[role]}: `
  element.append(author, text)
  return element
}

/** The messages of one conversation. A visitor who goes on after its end begins another one below. */
let section = document.createElement('section')

/** Begins another conversation below. Messages that are not sent yet move to it. */
export function beginSection(): void {
  const is_first = log.childElementCount === 0
  const pending = section.querySelectorAll('.pending')
  section = document.createElement('section')
  if (!is_first) section.append(newDivider('New chat'))
  section.append(...pending)
  log.append(section)
}

function newDivider(text: string): HTMLElement {
  const element = document.createElement('p')
  element.className = 'divider'
  element.textContent = text
  return element
}

export function clear(): void {
  log.replaceChildren()
  section.replaceChildren()
  hideDraft()
  beginSection()
}

/** Shows the earlier messages of a conversation, without having screen readers read them out. */
export function showHistory(turns: ChatTurn[]): void {
  log.setAttribute('aria-live', 'off')
  for (const turn of turns) showTurn(turn)
  scrollToEnd()
  setTimeout(() => log.setAttribute('aria-live', 'polite'), 100)
}

/** Puts a turn into the page, in the order of the turns' numbers and before messages that are not sent yet. */
function place(element: HTMLElement, seq: number): void {
  element.dataset.seq = String(seq)
  const placed = [...section.querySelectorAll<HTMLElement>('[data-seq]')]
  const next = placed.find((other) => other !== element && Number(other.dataset.seq) > seq)
  const pending = section.querySelector<HTMLElement>('.pending')
  section.insertBefore(element, next ?? pending)
}

export function showTurn({ seq, role, text, links = [] }: ChatTurn): void {
  if (text === '') return
  const element = newMessage(role, text)
  if (links.length > 0) element.append(newLinks(links))
  keepEndInView(() => place(element, seq))
}

/** The pages that an answer is based on. The server sends only those of http and https. */
function newLinks(links: NonNullable<ChatTurn['links']>): HTMLElement {
  const list = document.createElement('ul')
  list.className = 'links'
  list.setAttribute('aria-label', 'Sources')
  for (const { title, url } of links) {
    const link = document.createElement('a')
    link.textContent = title
    link.target = '_blank'
    link.rel = 'noreferrer'
    if (/^https?:\/\//.test(url)) link.href = url
    const item = document.createElement('li')
    item.append(link)
    list.append(item)
  }
  return list
}

/** Words of a call that may still change, by who says them. */
const open_words = new Map<ChatTurn['role'], HTMLElement>()
/** The words that the agent wrote right before the call: its greeting, if nobody has written since. */
let written = ''

/** Marks where a call begins. */
export function beginCall(): void {
  const last = section.lastElementChild
  const text = last?.matches('.message.agent') ? last.lastChild?.textContent : undefined
  // Speech has no line breaks, so the written text is compared without them.
  written = (text ?? '').replace(/\s+/g, ' ')
  keepEndInView(() => section.append(newDivider('Call started')))
}

/** Marks where a call has ended. */
export function endCall(duration_ms: number): void {
  written = ''
  open_words.clear()
  keepEndInView(() => section.append(newDivider(`Call ended, ${durationText(duration_ms)}`)))
}

/** Shows words of a call. They are no turn of the chat, and are gone when the page is loaded again. */
export function showSaid({ role, text, is_final }: Words): void {
  if (role === 'agent' && isWritten(text, is_final)) return
  keepEndInView(() => {
    const element = newMessage(role, text)
    const before = open_words.get(role)
    if (before?.isConnected) before.replaceWith(element)
    else section.append(element)
    if (is_final) open_words.delete(role)
    else open_words.set(role, element)
  })
}

/** Whether the agent begins the call with what it wrote right before. It may be interrupted. */
function isWritten(text: string, is_final: boolean): boolean {
  const is_same = written.startsWith(text)
  if (!is_same || is_final) written = ''
  return is_same
}

export function showPending(text: string): HTMLElement {
  const element = newMessage('contact', text)
  element.classList.add('pending')
  section.append(element)
  scrollToEnd()
  return element
}

export function showSent(element: HTMLElement, seq: number): void {
  element.classList.remove('pending', 'failed')
  element.querySelector('.state')?.remove()
  place(element, seq)
}

export function showFailed(element: HTMLElement, error: string | undefined, retry: () => void): void {
  element.classList.add('failed')
  const state = document.createElement('span')
  state.className = 'state'
  state.textContent = error === undefined ? 'Not sent. ' : `Not sent: ${error} `
  if (error === undefined) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'link'
    button.textContent = 'Try again'
    button.onclick = () => {
      state.remove()
      element.classList.remove('failed')
      retry()
      parts.text.focus()
    }
    state.append(button)
  }
  keepEndInView(() => element.append(state))
}

/** Shows the words of an answer as they come. Screen readers don't see them: they read the finished answer. */
export function showDraft(piece: string): void {
  keepEndInView(() => {
    draft.textContent += piece
    draft.hidden = false
    typing.hidden = true
  })
}

export function hideDraft(): void {
  draft.textContent = ''
  draft.hidden = true
}

/** Whether a person has answered since the agent did. */
const isPersonAnswering = (): boolean =>
  [...section.querySelectorAll('.agent, .human')].at(-1)?.classList.contains('human') === true

export function showConversation({ status, is_answering, has_phone_number }: ChatConversation): void {
  keepEndInView(() => {
    who.textContent = status === 'handed_over' && isPersonAnswering() ? person_answers : who_answers[status]
    typing.hidden = !is_answering || !draft.hidden
    ended.hidden = status !== 'closed'
    if (has_phone_number) parts.phone.hidden = true
    parts.leave.hidden = has_phone_number || status === 'closed'
  })
}

export function showName(agent_name: string): void {
  name.textContent = agent_name
  document.title = agent_name
}

export function showNotice(text: string | undefined): void {
  keepEndInView(() => {
    notice.hidden = text === undefined
    notice.textContent = text ?? ''
  })
}

export function showUnavailable(): void {
  showNotice(undefined)
  who.textContent = 'This chat is not available at the moment.'
  typing.hidden = true
  byId('footer').remove()
}
