import { isColor, isLight } from './color.ts'

/**
 * Puts a button on the page that opens the chat in a frame. All styles are set by script, which the page's
 * Content-Security-Policy doesn't block.
 */
const script = document.currentScript
const narrow = matchMedia('(max-width: 480px)')
const token_format = /^[\w-]{43}$/
const default_color = '#17745e'
const ready_within_ms = 5_000
const chat_path = 'M7 5h10a3 3 0 0 1 3 3v5a3 3 0 0 1-3 3h-4l-4.5 4v-4H7a3 3 0 0 1-3-3V8a3 3 0 0 1 3-3Z'
const close_path = 'M6 9l6 6 6-6'

if (script instanceof HTMLScriptElement) {
  const { channel = '', position, color = '' } = script.dataset
  const address = new URL(encodeURIComponent(channel), script.src)
  if (isColor(color)) address.searchParams.set('color', color)
  const add = () => addWidget({ channel, address, is_left: position === 'left', color })
  if (!channel) console.error('The chat needs data-channel with the id of its channel.')
  else if (document.body) add()
  else document.addEventListener('DOMContentLoaded', add, { once: true })
}

interface WidgetOptions {
  channel: string
  /** The URL of the chat's page. */
  address: URL
  is_left: boolean
  color: string
}

function addWidget({ channel, address, is_left, color }: WidgetOptions): void {
  const id = `chat-${channel}`
  if (document.getElementById(id)) return
  const host = document.createElement('div')
  host.id = id
  host.style.all = 'initial'
  // A shadow root keeps the page's styles out.
  const root = host.attachShadow({ mode: 'open' })
  const button = newButton(is_left, color)
  const panel = newPanel(is_left)
  let frame: HTMLIFrameElement | undefined
  let is_open = false
  /** Whether the page in the frame has announced itself. Until then the frame is hidden: it could cover a phone for good. */
  let is_ready = false
  let moves_focus = false
  /** During a call the chat stays open: a microphone that nobody sees would go on to hear. */
  let is_in_call = false
  let timer: ReturnType<typeof setTimeout> | undefined

  function open(is_by_visitor: boolean): void {
    is_open = true
    moves_focus = is_by_visitor
    if (!frame) {
      frame = newFrame(address, read('localStorage', id))
      root.append(frame)
      panel.textContent = 'Opening the chat…'
      timer = setTimeout(showUnavailable, ready_within_ms)
    }
    update()
  }

  /** Closes the chat, unless the visitor is in a call: then the chat says what to do. */
  function tryToClose(): void {
    if (!is_in_call) {
      close()
      return
    }
    frame?.focus()
    frame?.contentWindow?.postMessage('chat:closing', address.origin)
  }

  function close(): void {
    is_open = false
    if (!is_ready) {
      // The next time that the chat is opened tries again.
      clearTimeout(timer)
      frame?.remove()
      frame = undefined
    }
    update()
    button.element.focus()
  }

  function setReady(): void {
    clearTimeout(timer)
    is_ready = true
    is_in_call = false
    update()
  }

  function showUnavailable(): void {
    clearTimeout(timer)
    is_ready = false
    is_in_call = false
    panel.textContent = 'This chat is not available.'
    update()
    console.warn(
      `The chat did not load. Add ${location.origin} to the channel's websites, or check that the channel is active.`,
    )
  }

  function update(): void {
    const is_shown = is_open && is_ready
    panel.style.display = is_open && !is_ready ? 'block' : 'none'
    button.show(is_open)
    // The tab remembers this, so that the chat stays open when the visitor goes to another page of the site.
    keep('sessionStorage', id, String(is_shown))
    if (!frame) return
    frame.style.display = is_open ? 'block' : 'none'
    frame.style.visibility = is_ready ? 'visible' : 'hidden'
    placeFrame(frame, is_left)
    if (!is_shown || !moves_focus) return
    frame.focus()
    frame.contentWindow?.postMessage('chat:opened', address.origin)
  }

  button.element.addEventListener('click', () => (is_open ? tryToClose() : open(true)))
  const place = () => frame && placeFrame(frame, is_left)
  narrow.addEventListener('change', place)
  // A phone's keyboard makes the viewport smaller.
  window.visualViewport?.addEventListener('resize', place)
  window.visualViewport?.addEventListener('scroll', place)
  addEventListener('message', ({ source, origin, data }) => {
    if (!frame || source !== frame.contentWindow || origin !== address.origin) return
    if (data === 'chat:ready') setReady()
    else if (data === 'chat:unavailable') showUnavailable()
    else if (data === 'chat:close') close()
    else if (data === 'chat:call-began') is_in_call = true
    else if (data === 'chat:call-ended') is_in_call = false
    // The frame asks for this only where the browser blocks its own storage.
    else if (token_format.test(data?.chat_token)) keep('localStorage', id, data.chat_token)
  })
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && is_open) tryToClose()
  })
  root.append(button.element, panel)
  document.body.append(host)
  if (read('sessionStorage', id) === 'true') open(false)
}

function newButton(is_left: boolean, color: string) {
  const background = isColor(color) ? color : default_color
  const foreground = isLight(background) ? '#000' : '#fff'
  const element = document.createElement('button')
  element.type = 'button'
  Object.assign(element.style, {
    position: 'fixed',
    bottom: '20px',
    [is_left ? 'left' : 'right']: '20px',
    zIndex: '2147483000',
    width: '56px',
    height: '56px',
    padding: '0',
    border: '0',
    borderRadius: '50%',
    cursor: 'pointer',
    display: 'grid',
    placeItems: 'center',
    background,
    boxShadow: '0 4px 16px rgb(0 0 0 / 25%)',
  })
  const icon = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  icon.setAttribute('viewBox', '0 0 24 24')
  icon.setAttribute('aria-hidden', 'true')
  Object.assign(icon.style, { width: '28px', height: '28px', fill: 'none', stroke: foreground, strokeWidth: '2' })
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  icon.append(path)
  element.append(icon)
  const show = (is_open: boolean) => {
    path.setAttribute('d', is_open ? close_path : chat_path)
    element.setAttribute('aria-label', is_open ? 'Close chat' : 'Open chat')
    element.setAttribute('aria-expanded', String(is_open))
  }
  show(false)
  return { element, show }
}

/** Says what happens until the chat is there. The button closes it. */
function newPanel(is_left: boolean): HTMLElement {
  const element = document.createElement('div')
  element.role = 'status'
  Object.assign(element.style, {
    position: 'fixed',
    bottom: '88px',
    [is_left ? 'left' : 'right']: '20px',
    zIndex: '2147483000',
    maxWidth: 'calc(100vw - 40px)',
    boxSizing: 'border-box',
    padding: '12px 16px',
    borderRadius: '16px',
    colorScheme: 'light dark',
    color: 'CanvasText',
    background: 'Canvas',
    font: '16px/1.45 system-ui, sans-serif',
    display: 'none',
    boxShadow: '0 8px 32px rgb(0 0 0 / 25%)',
  })
  return element
}

function newFrame(address: URL, token = ''): HTMLIFrameElement {
  const frame = document.createElement('iframe')
  frame.title = 'Chat'
  // Chats with voice need the microphone. The browser asks the visitor before the chat gets it.
  frame.allow = 'microphone'
  // The fragment is not sent to any server.
  frame.src = `${address}#${token_format.test(token) ? token : ''}`
  return frame
}

/** Places the chat, which covers the page on a phone. */
function placeFrame({ style }: HTMLIFrameElement, is_left: boolean): void {
  const is_full = narrow.matches
  // When the visitor zooms in, the viewport is a part of the page, and the chat keeps its place.
  const viewport = window.visualViewport && window.visualViewport.scale === 1 ? window.visualViewport : undefined
  Object.assign(style, {
    position: 'fixed',
    zIndex: '2147483001',
    border: '0',
    colorScheme: 'light dark',
    inset: 'auto',
    ...(is_full
      ? {
          left: '0',
          top: `${viewport?.offsetTop ?? 0}px`,
          width: '100%',
          height: `${viewport?.height ?? innerHeight}px`,
          maxWidth: 'none',
          maxHeight: 'none',
          borderRadius: '0',
          boxShadow: 'none',
        }
      : {
          bottom: '88px',
          [is_left ? 'left' : 'right']: '20px',
          width: '380px',
          height: '600px',
          maxWidth: 'calc(100vw - 40px)',
          maxHeight: 'calc(100vh - 108px)',
          borderRadius: '16px',
          boxShadow: '0 8px 32px rgb(0 0 0 / 25%)',
        }),
  })
}

/** Reads from storage. Returns undefined where the browser blocks it. */
function read(storage: 'localStorage' | 'sessionStorage', key: string): string | undefined {
  try {
    return window[storage].getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

function keep(storage: 'localStorage' | 'sessionStorage', key: string, value: string): void {
  try {
    window[storage].setItem(key, value)
  } catch {
    // The browser blocks storage, or it is full.
  }
}
