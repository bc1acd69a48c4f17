import './style.css'
import { findObstacle } from './errors.ts'
import { latencyText, state_texts } from './texts.ts'
import type * as voice from './types.ts'

const byId = <T extends HTMLElement = HTMLElement>(id: string): T => {
  const found = document.getElementById(id)
  if (!found) throw new Error(`the page has no #${id}`)
  // index.html has an element of this type.
  return found as T
}
const scroller = byId('scroller')
const intro = byId('intro')
const log = byId('log')
const problem = byId('problem')
const state = byId('state')
const live = byId('live')
const level = byId<HTMLMeterElement>('level')
const latency = byId('latency')
const talk = byId<HTMLButtonElement>('talk')
const talk_label = byId('talk-label')
const mute = byId<HTMLButtonElement>('mute')
const end = byId<HTMLButtonElement>('end')

const request_timeout_ms = 20_000
const { agent = '', isRecorded: is_recorded } = document.body.dataset
const address = location.pathname.replace(/\/$/, '')

/** What the visitor can't see from the words. */
const end_texts: Record<string, string> = {
  contact_hung_up: 'You ended the call.',
  silence: 'The call ended because nothing was heard.',
  max_duration: 'The call ended because it reached its longest duration.',
  system_error: 'The call ended because of a fault. Try again in a minute.',
  error: 'The call was not connected.',
  lost: 'The call ended.',
}

let call: voice.VoiceCall | undefined
/** The bubbles whose words may still change. */
const open_words = new Map<voice.Words['role'], HTMLElement>()
/** The module that other pages import, too. Loaded before the click, because browsers forget one that was long ago. */
const loadVoice = (): Promise<typeof voice> => import(/* @vite-ignore */ new URL('../voice.js', location.href).href)
loadVoice().catch(() => {})

document.title = agent || document.title
byId('name').textContent = agent || 'Talk'
byId('recording').textContent = is_recorded === 'true' ? 'Calls are recorded.' : 'Calls are not recorded.'
// Without a focus it could not be scrolled by keyboard.
scroller.tabIndex = 0
const obstacle = findObstacle()
if (obstacle) {
  problem.textContent = obstacle.message
  talk.disabled = true
}

/** Creates the call. Throws an error with a code and a message. */
async function place(): Promise<voice.Place> {
  const response = await fetch(`${address}/calls`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    credentials: 'omit',
    cache: 'no-store',
    signal: AbortSignal.timeout(request_timeout_ms),
  })
  const body = await response.json().catch(() => ({}))
  if (response.ok) return body.data
  throw { code: body.error?.code ?? 'failed', message: messageFor(response, body.error) }
}

function messageFor({ status, headers }: Response, error: { details?: { reason?: string } } | undefined): string {
  if (status === 404) return 'Nobody can be called here at the moment.'
  if (error?.details?.reason === 'speech_not_installed') return 'Calls are not set up here yet.'
  if (status === 503) return 'All lines are busy. Try again in a few minutes.'
  if (status === 429)
    return `There were many calls from here. Try again in ${headers.get('retry-after') ?? '60'} seconds.`
  return 'The call could not be connected. Try again in a minute.'
}

async function begin(): Promise<void> {
  problem.textContent = ''
  talk.disabled = true
  const { connect } = await loadVoice()
  log.replaceChildren()
  open_words.clear()
  latency.textContent = ''
  const begun = connect({ place })
  call = begun
  begun.on('state', showState)
  begun.on('words', showWords)
  begun.on('level', (value) => {
    level.value = value
  })
  begun.on('latency', (ms) => {
    latency.textContent = latencyText(ms)
  })
  begun.on('error', ({ message }) => {
    problem.textContent = message
  })
  showState('connecting')
  end.focus()
}

function showState(next: voice.VoiceState): void {
  const is_over = next === 'ended'
  const had_focus = document.activeElement === end || document.activeElement === mute
  const has_talked = call?.call_id !== undefined
  state.textContent = is_over ? (end_texts[call?.end_reason ?? ''] ?? state_texts.ended) : state_texts[next]
  talk.hidden = !is_over
  talk.disabled = false
  talk_label.textContent = has_talked ? 'Talk again' : 'Talk'
  end.hidden = is_over
  mute.hidden = is_over
  live.hidden = !(next === 'live' || next === 'reconnecting')
  intro.hidden = has_talked
  log.hidden = !has_talked
  showMuted()
  if (is_over && had_focus) talk.focus()
}

function showWords({ role, text, is_final }: voice.Words): void {
  const is_at_end = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80
  const shown = open_words.get(role) ?? newSaid(role)
  const who = document.createElement('span')
  who.className = 'hidden'
  who.textContent = role === 'agent' ? 'Assistant: ' : 'You: '
  // Text, never markup.
  shown.replaceChildren(who, text)
  if (is_final) open_words.delete(role)
  else open_words.set(role, shown)
  if (is_at_end) scroller.scrollTo({ top: scroller.scrollHeight })
}

function newSaid(role: voice.Words['role']): HTMLElement {
  const element = document.createElement('p')
  element.className = `said ${role}`
  log.append(element)
  return element
}

function showMuted(): void {
  const is_muted = call?.is_muted ?? false
  mute.setAttribute('aria-pressed', String(is_muted))
  mute.textContent = is_muted ? 'Muted' : 'Mute'
}

talk.addEventListener('click', () => {
  begin().catch(() => {
    talk.disabled = false
    problem.textContent = 'The page could not be loaded. Check your connection and try again.'
  })
})
mute.addEventListener('click', () => {
  if (call?.is_muted) call.unmute()
  else call?.mute()
  showMuted()
})
end.addEventListener('click', () => call?.hangUp())
