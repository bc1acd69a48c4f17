import './style.css'
import { openChat } from './chat.ts'
import { isColor, isLight } from './color.ts'
import { is_embedded } from './token.ts'
import * as view from './view.ts'
import { Refusal } from './wire.ts'

const length_max = 4_000
/** From this many characters on, the visitor sees how many are left. */
const show_count_from = 3_500
const { composer, text, phone, number, phone_error, leave, new_chat, close, count, talk } = view.parts

/** The module is loaded when the visitor presses the microphone. */
let voice: typeof import('./voice.ts') | undefined

/** The website's color. */
const color = new URLSearchParams(location.search).get('color') ?? ''
if (isColor(color)) {
  const { style } = document.documentElement
  style.setProperty('--accent', color)
  style.setProperty('--on-accent', isLight(color) ? '#000' : '#fff')
}

const chat = openChat()
view.beginSection()

function fitText(): void {
  view.keepEndInView(() => {
    text.style.height = 'auto'
    text.style.height = `${text.scrollHeight}px`
  })
  count.textContent = text.value.length < show_count_from ? '' : `${text.value.length} of ${length_max} characters`
}

text.addEventListener('input', fitText)
text.addEventListener('keydown', (event) => {
  // While a word is composed, as in Japanese, Enter ends the word.
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  composer.requestSubmit()
})
composer.addEventListener('submit', (event) => {
  event.preventDefault()
  const written = text.value.trim()
  if (written === '') return
  chat.send(written)
  text.value = ''
  fitText()
  text.focus()
})

new_chat.addEventListener('click', () => {
  new_chat.disabled = true
  chat
    .beginNew()
    .catch((error: unknown) => view.showNotice(messageOf(error)))
    .finally(() => {
      new_chat.disabled = false
      text.focus()
    })
})

function showPhoneForm(is_shown: boolean): void {
  view.keepEndInView(() => {
    phone.hidden = !is_shown
    phone_error.textContent = ''
  })
  leave.setAttribute('aria-expanded', String(is_shown))
  ;(is_shown ? number : text).focus()
}

leave.addEventListener('click', () => showPhoneForm(phone.hidden === true))
phone.addEventListener('submit', (event) => {
  event.preventDefault()
  phone_error.textContent = ''
  chat.leavePhoneNumber(toE164(number.value)).then(
    () => {
      leave.hidden = true
      number.value = ''
      showPhoneForm(false)
      view.showNotice('Thank you. We have your phone number.')
    },
    (error: unknown) => {
      const suggestion = error instanceof Refusal ? error.suggestion : undefined
      if (suggestion) number.value = suggestion
      const is_invalid = error instanceof Refusal && error.status === 400
      view.keepEndInView(() => {
        phone_error.textContent = suggestion
          ? `Did you mean ${suggestion}?`
          : is_invalid
            ? 'Write the number with its country code, such as +1 415 555 0100.'
            : messageOf(error)
      })
      number.focus()
    },
  )
})

/** "+1 (415) 555-0100" as "+14155550100". */
const toE164 = (typed: string): string => (/^\s*\+/.test(typed) ? '+' : '') + typed.replace(/\D/g, '')

const messageOf = (error: unknown): string =>
  error instanceof Refusal ? error.message : 'That did not work. Check your connection and try again.'

/** A phone's keyboard would cover the text field where the browser doesn't resize the page. */
const { visualViewport: viewport } = window
viewport?.addEventListener('resize', () => {
  // When the visitor zooms in, the viewport is a part of the page, and the page keeps its height.
  if (viewport.scale > 1) return
  document.body.style.height = `${viewport.height}px`
  view.scrollToEnd()
})

if (is_embedded) {
  close.hidden = false
  // The message may go to any origin: it says only that the visitor wants to close the chat.
  const askToClose = () => {
    if (voice?.isTalking()) voice.refuseToClose()
    else window.parent.postMessage('chat:close', '*')
  }
  close.addEventListener('click', askToClose)
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') askToClose()
  })
  addEventListener('message', (event) => {
    if (event.source !== window.parent) return
    if (event.data === 'chat:opened') focusText()
    // The widget sends this when the visitor presses its button, or Escape, on the page around the chat.
    if (event.data === 'chat:closing') askToClose()
  })
  window.parent.postMessage('chat:ready', '*')
}

// The server sets this for channels with voice only, so visitors of other channels don't load what calls need.
if (document.body.dataset.hasVoice !== undefined) {
  talk.hidden = false
  talk.addEventListener('click', () => {
    import('./voice.ts').then(
      (loaded) => {
        voice = loaded
        voice.toggle()
      },
      () => view.showNotice('That did not work. Check your connection and try again.'),
    )
  })
}

/** Does nothing on a phone, where the focus would open the keyboard over the chat. */
function focusText(): void {
  if (matchMedia('(pointer: fine)').matches) text.focus()
}

focusText()
void chat.start()
