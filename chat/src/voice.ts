import { latencyText, state_texts } from '../../voice/src/texts.ts'
import type * as voice from '../../voice/src/types.ts'
import * as view from './view.ts'
import { post, Refusal } from './wire.ts'

/** Talking in a chat. Loaded when a visitor presses the microphone. */

const { talk, voice: panel } = view.parts
const is_recorded = document.body.dataset.isRecorded === 'true'

const introduction =
  'Talk to the AI assistant. Your browser asks for your microphone, which is used during the call only. ' +
  (is_recorded ? 'The call is recorded.' : 'The call is not recorded.')

let call: voice.VoiceCall | undefined
const isTalking = (): boolean => call !== undefined && call.state !== 'ended'

const text = newElement('p', '')
text.role = 'status'
const problem = newElement('p', 'problem')
problem.role = 'alert'
const latency = newElement('p', 'latency')
const level = newElement('meter', '')
level.ariaLabel = 'Microphone level'
const start = newButton('Start talking', '', () => void begin())
const mute = newButton('Mute', 'plain', () => {
  if (call?.is_muted) call.unmute()
  else call?.mute()
  showMuted()
})
const end = newButton('End call', '', () => call?.hangUp())
const cancel = newButton('Close', 'plain', toggle)
const row = newElement('div', 'row')
row.append(start, mute, end, cancel)
panel.append(text, problem, level, latency, row)
show(undefined)

function newElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  class_name: string,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  element.className = class_name
  return element
}

function newButton(label: string, class_name: string, onClick: () => void): HTMLButtonElement {
  const button = newElement('button', class_name)
  button.type = 'button'
  button.textContent = label
  button.addEventListener('click', onClick)
  return button
}

/** Shows or hides what is needed to talk. A call goes on until it is ended. */
export function toggle(): void {
  if (isTalking()) {
    end.focus()
    return
  }
  const is_shown = panel.hidden
  view.keepEndInView(() => {
    panel.hidden = !is_shown
  })
  talk.setAttribute('aria-expanded', String(is_shown))
  if (is_shown) show(undefined)
  ;(is_shown ? start : talk).focus()
}

async function begin(): Promise<void> {
  problem.textContent = ''
  latency.textContent = ''
  start.disabled = true
  try {
    // The module that other pages import, too.
    const { connect }: typeof voice = await import(/* @vite-ignore */ new URL('../voice.js', location.href).href)
    call = connect({ place })
  } catch {
    problem.textContent = 'That did not work. Check your connection and try again.'
    return
  } finally {
    start.disabled = false
  }
  call.on('state', show)
  call.on('words', view.showSaid)
  call.on('level', (value) => {
    level.value = value
  })
  call.on('latency', (ms) => {
    latency.textContent = latencyText(ms)
  })
  call.on('error', ({ message }) => {
    problem.textContent = message
  })
  show('connecting')
  end.focus()
}

/** Creates the call. Throws an error with a code and a message. */
async function place(): Promise<voice.Place> {
  try {
    return await post<voice.Place>('calls', undefined, {})
  } catch (error) {
    throw { code: 'failed', message: messageFor(error) }
  }
}

function messageFor(error: unknown): string {
  if (!(error instanceof Refusal)) return 'The call could not be connected. Check your connection and try again.'
  if (error.status === 404) return 'Nobody can be called here at the moment.'
  if (error.status === 503) return 'All lines are busy. Try again in a few minutes.'
  if (error.status === 429) return error.message
  return 'Calls are not possible here at the moment. You can write instead.'
}

function show(state: voice.VoiceState | undefined): void {
  const is_talking = isTalking()
  const had_focus = document.activeElement === end || document.activeElement === mute
  view.keepEndInView(() => {
    text.textContent = state ? state_texts[state] : introduction
    start.hidden = is_talking
    cancel.hidden = is_talking
    mute.hidden = !is_talking
    end.hidden = !is_talking
    level.hidden = !is_talking || state === 'connecting'
    start.textContent = state === 'ended' ? 'Talk again' : 'Start talking'
  })
  showMuted()
  if (!is_talking && had_focus) start.focus()
}

function showMuted(): void {
  const is_muted = call?.is_muted ?? false
  mute.setAttribute('aria-pressed', String(is_muted))
  mute.textContent = is_muted ? 'Muted' : 'Mute'
}
