import { newButton, newControls } from '../../voice/src/controls.ts'
import { describeCall } from '../../voice/src/texts.ts'
import type * as voice from '../../voice/src/types.ts'
import { is_embedded } from './token.ts'
import * as view from './view.ts'
import { post, Refusal } from './wire.ts'

/** Talking in a chat. Loaded when a visitor presses the microphone. */

const { talk, voice: panel } = view.parts
const is_recorded = document.body.dataset.isRecorded === 'true'

const introduction =
  'Talk to the AI assistant. Your browser asks for your microphone, which is used during the call only. ' +
  (is_recorded ? 'The call is recorded.' : 'The call is not recorded.')

let call: voice.VoiceCall | undefined
export const isTalking = (): boolean => call !== undefined && call.state !== 'ended'

const text = document.createElement('p')
text.role = 'status'
const problem = document.createElement('p')
problem.className = 'problem'
problem.role = 'alert'
const controls = newControls(view.keepEndInView)
const row = document.createElement('div')
row.className = 'row'
const start = newButton('Start talking', '', () => void begin())
row.append(start, newButton('Close', 'plain', toggle))
panel.append(text, problem, controls.live, controls.buttons, row)
panel.addEventListener('keydown', controls.type)
show()

/** Says that the call must end first: in a closed chat its microphone would go on unseen. */
export function refuseToClose(): void {
  text.textContent = 'You are in a call. End it before you close the chat.'
  controls.focusEnd()
}

/** Shows or hides what is needed to talk. A call goes on until it is ended. */
export function toggle(): void {
  if (isTalking()) {
    controls.focusEnd()
    return
  }
  const is_shown = panel.hidden
  view.keepEndInView(() => {
    panel.hidden = !is_shown
  })
  talk.setAttribute('aria-expanded', String(is_shown))
  if (is_shown) {
    call = undefined
    show()
  }
  ;(is_shown ? start : talk).focus()
}

async function begin(): Promise<void> {
  problem.textContent = ''
  start.disabled = true
  try {
    // This is the module that other pages import, too.
    const { connect }: typeof voice = await import(/* @vite-ignore */ new URL('../voice.js', location.href).href)
    call = connect({ place })
  } catch {
    problem.textContent = 'That did not work. Check your connection and try again.'
    return
  } finally {
    start.disabled = false
  }
  controls.begin(call)
  mark(call)
  call.on('state', show)
  call.on('words', view.showSaid)
  call.on('error', ({ message }) => {
    problem.textContent = message
  })
  show()
  controls.focusEnd()
}

/** Marks in the thread where the call begins and ends. A call that was never connected is not marked. */
function mark(marked: voice.VoiceCall): void {
  let began_at: number | undefined
  marked.on('state', (state) => {
    if (state === 'live' && began_at === undefined) {
      began_at = performance.now()
      view.beginCall()
    }
    if (state === 'ended' && began_at !== undefined) view.endCall(performance.now() - began_at)
  })
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

function show(): void {
  const is_talking = isTalking()
  view.keepEndInView(() => {
    text.textContent = call ? describeCall(call) : introduction
    row.hidden = is_talking
    start.textContent = call?.call_id === undefined ? 'Start talking' : 'Talk again'
    controls.update(() => start.focus())
  })
  // During a call the widget doesn't hide the chat. Any origin may get the message: it says only that there is a call.
  if (is_embedded) window.parent.postMessage(is_talking ? 'chat:call-began' : 'chat:call-ended', '*')
}
