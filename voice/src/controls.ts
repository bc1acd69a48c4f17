import { addKey, nameOfKey, telephone_keys, typedKey } from './keys.ts'
import { latencyText } from './texts.ts'
import type { VoiceCall } from './types.ts'

/** The elements that show a call, and its buttons. The page of web voice and the chat have the same. */
export interface Controls {
  /** The level of the microphone, how long the last answer took, which keys were pressed, and the keypad. */
  live: HTMLElement
  /** Mute, Keypad and End call. */
  buttons: HTMLElement
  /** Shows this call from now on. */
  begin: (call: VoiceCall) => void
  /** Shows the new state of the call. Calls `focusNext` if what had the focus is gone. */
  update: (focusNext: () => void) => void
  focusEnd: () => void
  /** Presses the key that is typed, if a telephone has it. */
  type: (event: KeyboardEvent) => void
}

/** Makes the controls. The keypad takes room, so `keepEndInView` shows it and keeps the last words visible. */
export function newControls(keepEndInView: (change: () => void) => void): Controls {
  let call: VoiceCall | undefined

  const level = newElement('meter')
  level.ariaLabel = 'Microphone level'
  const latency = newElement('span')
  const pressed = newElement('span')
  pressed.role = 'status'
  const facts = newElement('p', 'facts')
  facts.append(latency, pressed)
  const keys = newElement('div', 'keys')
  keys.id = 'keys'
  keys.role = 'group'
  keys.ariaLabel = 'Keypad'
  keys.append(...telephone_keys.map(newKey))
  const live = newElement('div', 'live')
  live.append(level, facts, keys)

  const mute = newButton('Mute', 'plain', () => {
    if (call?.is_muted) call.unmute()
    else call?.mute()
    showMuted()
  })
  const keypad = newButton('Keypad', 'plain', () => keepEndInView(() => showKeys(keys.hidden === true)))
  keypad.setAttribute('aria-controls', keys.id)
  const end = newButton('End call', 'danger', () => call?.hangUp())
  const buttons = newElement('div', 'row')
  buttons.append(mute, keypad, end)

  let pressed_keys = ''
  showPressed('')
  update(() => {})

  function newKey(key: string): HTMLButtonElement {
    const button = newButton(key, 'plain', () => press(key))
    button.ariaLabel = nameOfKey(key)
    return button
  }

  function press(key: string): void {
    if (call?.state !== 'live') return
    call.press(key)
    showPressed(addKey(pressed_keys, key))
  }

  function showPressed(next: string): void {
    pressed_keys = next
    pressed.textContent = next === '' ? '' : `Keys pressed: ${next}`
  }

  function showKeys(is_shown: boolean): void {
    keys.hidden = !is_shown
    keypad.setAttribute('aria-expanded', String(is_shown))
  }

  function showMuted(): void {
    const is_muted = call?.is_muted ?? false
    mute.setAttribute('aria-pressed', String(is_muted))
    mute.textContent = is_muted ? 'Muted' : 'Mute'
  }

  function update(focusNext: () => void): void {
    const is_over = call === undefined || call.state === 'ended'
    const { activeElement } = document
    const had_focus = live.contains(activeElement) || buttons.contains(activeElement)
    buttons.hidden = is_over
    live.hidden = is_over || call?.call_id === undefined
    keypad.hidden = live.hidden
    if (is_over) showKeys(false)
    showMuted()
    if (is_over && had_focus) focusNext()
  }

  return {
    live,
    buttons,
    begin: (begun) => {
      call = begun
      latency.textContent = ''
      showPressed('')
      begun.on('level', (value) => {
        level.value = value
      })
      begun.on('latency', (ms) => {
        latency.textContent = latencyText(ms)
      })
    },
    update,
    focusEnd: () => end.focus(),
    type: (event) => {
      const key = typedKey(event)
      if (key !== undefined) press(key)
    },
  }
}

function newElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  class_name = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  element.className = class_name
  return element
}

export function newButton(label: string, class_name: string, onClick: () => void): HTMLButtonElement {
  const button = newElement('button', class_name)
  button.type = 'button'
  button.textContent = label
  button.addEventListener('click', onClick)
  return button
}
