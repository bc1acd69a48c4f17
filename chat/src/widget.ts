/**
 * Puts a button on the page that opens the chat in a frame. All styles are set by script, which the page's
 * Content-Security-Policy doesn't block.
 */
const script = document.currentScript
const narrow = matchMedia('(max-width: 480px)')
const token_format = /^[\w-]{43}$/
const default_color = '#17745e'
const chat_path = 'M7 5h10a3 3 0 0 1 3 3v5a3 3 0 0 1-3 3h-4l-4.5 4v-4H7a3 3 0 0 1-3-3V8a3 3 0 0 1 3-3Z'
const close_path = 'M6 9l6 6 6-6'

if (script instanceof HTMLScriptElement) {
  const { channel = '', position, color } = script.dataset
  const address = new URL(encodeURIComponent(channel), script.src).href
  const add = () => addWidget({ channel, address, is_left: position === 'left', color })
  if (!channel) console.error('The chat needs data-channel with the id of its channel.')
  else if (document.body) add()
  else document.addEventListener('DOMContentLoaded', add, { once: true })
}

interface WidgetOptions {
  channel: string
  /** Of the chat's page. */
  address: string
  is_left: boolean
  color: string | undefined
}

function addWidget({ channel, address, is_left, color }: WidgetOptions): void {
  const id = `chat-${channel}`
  if (document.getElementById(id)) return
  const host = document.createElement('div')
  host.id = id
  host.style.all = 'initial'
  // Keeps the page's styles out.
  const root = host.attachShadow({ mode: 'open' })
  const button = newButton(is_left, color)
  let frame: HTMLIFrameElement | undefined

  function setOpen(is_open: boolean, moves_focus: boolean): void {
    if (is_open && !frame) {
      frame = newFrame(address, read('localStorage', id))
      root.append(frame)
    }
    if (!frame) return
    frame.style.display = is_open ? 'block' : 'none'
    placeFrame(frame, is_left)
    button.show(is_open)
    // For this tab, so that the chat stays open when the visitor goes to another page of the site.
    keep('sessionStorage', id, String(is_open))
    if (!moves_focus) return
    if (is_open) {
      frame.focus()
      frame.contentWindow?.postMessage('chat:opened', new URL(address).origin)
    } else button.element.focus()
  }

  const isOpen = () => frame !== undefined && frame.style.display !== 'none'
  button.element.addEventListener('click', () => setOpen(!isOpen(), true))
  const place = () => frame && placeFrame(frame, is_left)
  narrow.addEventListener('change', place)
  // A phone's keyboard makes it smaller.
  window.visualViewport?.addEventListener('resize', place)
  window.visualViewport?.addEventListener('scroll', place)
  addEventListener('message', ({ source, data }) => {
    if (!frame || source !== frame.contentWindow) return
    if (data === 'chat:close') setOpen(false, true)
    // The frame asks for this only where the browser blocks its own storage.
    else if (token_format.test(data?.chat_token)) keep('localStorage', id, data.chat_token)
  })
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && isOpen()) setOpen(false, true)
  })
  root.append(button.element)
  document.body.append(host)
  if (read('sessionStorage', id) === 'true') setOpen(true, false)
}

function newButton(is_left: boolean, color: string | undefined) {
  const background = /^#[0-9a-f]{6}$/i.test(color ?? '') ? String(color) : default_color
  const foreground = isLight(background) ? '#000' : '#fff'
  const element = document.createElement('button')
  element.type = 'button'
  Object.assign(element.style, {
    ...{ position: 'fixed', bottom: '20px', [is_left ? 'left' : 'right']: '20px', zIndex: '2147483000' },
    ...{ width: '56px', height: '56px', padding: '0', border: '0', borderRadius: '50%', cursor: 'pointer' },
    ...{ display: 'grid', placeItems: 'center', background, boxShadow: '0 4px 16px rgb(0 0 0 / 25%)' },
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

function newFrame(address: string, token = ''): HTMLIFrameElement {
  const frame = document.createElement('iframe')
  frame.title = 'Chat'
  // The fragment is not sent to any server.
  frame.src = `${address}?embedded#${token_format.test(token) ? token : ''}`
  return frame
}

/** On a phone the chat covers the page. */
function placeFrame({ style }: HTMLIFrameElement, is_left: boolean): void {
  const is_full = narrow.matches
  // Who zooms in sees a part of the chat.
  const viewport = window.visualViewport && window.visualViewport.scale === 1 ? window.visualViewport : undefined
  Object.assign(style, {
    ...{ position: 'fixed', zIndex: '2147483001', border: '0', colorScheme: 'light dark', inset: 'auto' },
    ...(is_full
      ? {
          ...{
            left: '0',
            top: `${viewport?.offsetTop ?? 0}px`,
            width: '100%',
            height: `${viewport?.height ?? innerHeight}px`,
          },
          ...{ maxWidth: 'none', maxHeight: 'none', borderRadius: '0', boxShadow: 'none' },
        }
      : {
          ...{ bottom: '88px', [is_left ? 'left' : 'right']: '20px', width: '380px', height: '600px' },
          ...{ maxWidth: 'calc(100vw - 40px)', maxHeight: 'calc(100vh - 108px)', borderRadius: '16px' },
          boxShadow: '0 8px 32px rgb(0 0 0 / 25%)',
        }),
  })
}

/** Whether black is easier to read on the color than white. */
function isLight(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(color.slice(start, start + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179
}

/** Undefined where the browser blocks storage. */
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
    // Blocked or full.
  }
}
