import './style.css'
import { newControls } from './controls.ts'
import { byId, newScroller } from './dom.ts'
import { findObstacle } from './errors.ts'
import { describeCall } from './texts.ts'
import type * as voice from './types.ts'

const intro = byId('intro')
const log = byId('log')
const problem = byId('problem')
const state = byId('state')
const talk = byId<HTMLButtonElement>('talk')
const talk_label = byId('talk-label')
const { keepEndInView } = newScroller(byId('scroller'))
const controls = newControls(keepEndInView)
byId('controls').append(controls.live, controls.buttons)

const request_timeout_ms = 20_000
const { agent = '', isRecorded: is_recorded } = document.body.dataset
const address = location.pathname.replace(/\/$/, '')

/** The bubbles whose words may still change. */
const open_words = new Map<voice.Words['role'], HTMLElement>()
/** Loads the module that other pages import, too: before the click, which browsers forget after a while. */
const loadVoice = (): Promise<typeof voice> => import(/* @vite-ignore */ new URL('../voice.js', location.href).href)
loadVoice().catch(() => {})

document.title = agent || document.title
byId('name').textContent = agent || 'Talk'
byId('recording').textContent = is_recorded === 'true' ? 'Calls are recorded.' : 'Calls are not recorded.'
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
  const call = connect({ place })
  controls.begin(call)
  call.on('state', () => show(call))
  call.on('words', showWords)
  call.on('error', ({ message }) => {
    problem.textContent = message
  })
  show(call)
  controls.focusEnd()
}

function show(call: voice.VoiceCall): void {
  const has_talked = call.call_id !== undefined
  keepEndInView(() => {
    state.textContent = describeCall(call)
    talk.hidden = call.state !== 'ended'
    talk.disabled = false
    talk_label.textContent = has_talked ? 'Talk again' : 'Talk'
    intro.hidden = has_talked
    log.hidden = !has_talked
    controls.update(() => talk.focus())
  })
}

function showWords({ role, text, is_final }: voice.Words): void {
  const who = document.createElement('span')
  who.className = 'hidden'
  who.textContent = role === 'agent' ? 'Assistant: ' : 'You: '
  keepEndInView(() => {
    const shown = open_words.get(role) ?? newSaid(role)
    // The words are set as text, never as markup.
    shown.replaceChildren(who, text)
    if (is_final) open_words.delete(role)
    else open_words.set(role, shown)
  })
}

function newSaid(role: voice.Words['role']): HTMLElement {
  const element = document.createElement('p')
  element.className = `message ${role}`
  log.append(element)
  return element
}

talk.addEventListener('click', () => {
  begin().catch(() => {
    talk.disabled = false
    problem.textContent = 'The page could not be loaded. Check your connection and try again.'
  })
})
// Only keys that are typed at the controls are for the agent, and not those that someone types while reading.
byId('controls').addEventListener('keydown', controls.type)
