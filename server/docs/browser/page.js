// A page of /docs: tabs for languages, buttons to copy, the reader's address and key in samples. Browsers load this file as it is.

const { address = '', base = '' } = document.documentElement.dataset
/** Where the reader has found this page, which may be another name of the service than the configured one. */
const own_address = location.origin + base
const language_key = 'docs-language'
const copied_ms = 2_000
/** No other text is put into samples: it could break out of their quotes. */
const key_pattern = /^pk_[\w-]{1,100}$/

/** The text of each code block, as the server has written it. */
const originals = new Map([...document.querySelectorAll('pre > code')].map((code) => [code, code.textContent ?? '']))

/** @param {string} key An API key, or nothing. */
function fill(key) {
  for (const [code, original] of originals) {
    const text = original
      .replaceAll(address, () => own_address)
      .replaceAll(address.replace(/^http/, 'ws'), () => own_address.replace(/^http/, 'ws'))
    code.textContent = key ? withKey(text, key) : text
  }
}

/**
 * @param {string} text
 * @param {string} key
 */
const withKey = (text, key) =>
  text
    .replaceAll(/\$KEY\b/g, () => key)
    .replaceAll('process.env.KEY', () => `'${key}'`)
    .replaceAll('os.environ["KEY"]', () => `"${key}"`)
    .replaceAll('export KEY=pk_...', () => `export KEY=${key}`)

function showKeyField() {
  const field = document.querySelector('#key')
  const has_samples = [...originals.values()].some((text) => withKey(text, '-') !== text)
  if (!(field instanceof HTMLInputElement) || !has_samples) return
  field.addEventListener('input', () => {
    const key = field.value.trim()
    const is_valid = key === '' || key_pattern.test(key)
    field.setAttribute('aria-invalid', String(!is_valid))
    fill(is_valid ? key : '')
  })
  const box = field.closest('.key')
  if (box instanceof HTMLElement) box.hidden = false
}

/** Makes tabs of samples in several languages. All of them show the language that was chosen last. */
function addTabs() {
  for (const [number, block] of document.querySelectorAll('.samples').entries()) {
    const tabs = document.createElement('div')
    tabs.role = 'tablist'
    tabs.ariaLabel = 'Language'
    for (const [index, panel] of block.querySelectorAll('pre').entries()) {
      const id = `sample-${number}-${index}`
      const tab = document.createElement('button')
      Object.assign(tab, { type: 'button', role: 'tab', id: `${id}-tab`, textContent: panel.dataset.language })
      tab.setAttribute('aria-controls', id)
      tab.addEventListener('click', () => choose(tab.textContent ?? '', tab))
      Object.assign(panel, { id, role: 'tabpanel' })
      panel.setAttribute('aria-labelledby', tab.id)
      tabs.append(tab)
    }
    tabs.addEventListener('keydown', moveBetweenTabs)
    block.prepend(tabs)
  }
  showLanguage(readLanguage())
}

/** @param {KeyboardEvent} event */
function moveBetweenTabs(event) {
  const { currentTarget, target, key } = event
  if (!(currentTarget instanceof HTMLElement) || !(target instanceof HTMLButtonElement)) return
  const tabs = [...currentTarget.querySelectorAll('button')]
  const at = tabs.indexOf(target)
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[key]
  if (next === undefined) return
  const tab = tabs.at(next % tabs.length)
  event.preventDefault()
  if (!tab) return
  choose(tab.textContent ?? '', tab)
  tab.focus()
}

/**
 * @param {string} language
 * @param {HTMLElement} tab It stays where it is on the screen, although samples above it change their height.
 */
function choose(language, tab) {
  const before = tab.getBoundingClientRect().top
  showLanguage(language)
  scrollBy({ top: tab.getBoundingClientRect().top - before, behavior: 'instant' })
  try {
    sessionStorage.setItem(language_key, language)
  } catch {
    // Where storage is blocked, the choice holds for this page.
  }
}

function readLanguage() {
  try {
    return sessionStorage.getItem(language_key)
  } catch {
    return null
  }
}

/** @param {string | null} language The first one, if a block doesn't have it. */
function showLanguage(language) {
  for (const block of document.querySelectorAll('.samples')) {
    const panels = [...block.querySelectorAll('pre')]
    const chosen = Math.max(
      0,
      panels.findIndex((panel) => panel.dataset.language === language),
    )
    for (const [index, panel] of panels.entries()) panel.hidden = index !== chosen
    for (const [index, tab] of block.querySelectorAll('button[role=tab]').entries()) {
      tab.ariaSelected = String(index === chosen)
      tab.setAttribute('tabindex', index === chosen ? '0' : '-1')
    }
    block.classList.add('is-ready')
  }
}

/** Browsers have a clipboard on pages with https and on localhost only. */
function addCopyButtons() {
  if (!navigator.clipboard) return
  for (const block of document.querySelectorAll('.code')) {
    const button = document.createElement('button')
    Object.assign(button, { type: 'button', className: 'copy', textContent: 'Copy' })
    button.addEventListener('click', () => {
      const shown = [...block.querySelectorAll('pre')].find((pre) => !pre.hidden)
      navigator.clipboard.writeText(shown?.textContent ?? '').then(
        () => say('Copied'),
        () => say('Not allowed'),
      )
    })
    /** @param {string} text */
    const say = (text) => {
      button.textContent = text
      setTimeout(() => Object.assign(button, { textContent: 'Copy' }), copied_ms)
    }
    block.append(button)
  }
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** All of this was one page once. On the first page, the links have the ids of what they lead to. */
function followOldFragment() {
  const parts = decode(location.hash.slice(1)).split('/')
  for (let length = parts.length; length > 0; length -= 1) {
    const link = document.getElementById(parts.slice(0, length).join('/'))
    if (link instanceof HTMLAnchorElement) return location.replace(link.href)
  }
}

/** On wide screens the contents are always open, beside the text, and scroll by themselves. */
function showContents() {
  const contents = document.querySelector('nav')
  const details = contents?.querySelector('details')
  if (!contents || !details) return
  const wide = matchMedia('(min-width: 60rem)')
  const openIfWide = () => {
    details.open = wide.matches
  }
  wide.addEventListener('change', openIfWide)
  openIfWide()
  const current = contents.querySelector('[aria-current]')
  if (!current) return
  const { top, height } = contents.getBoundingClientRect()
  contents.scrollTop += current.getBoundingClientRect().top - top - height / 3
}

followOldFragment()
showContents()
fill('')
addTabs()
addCopyButtons()
showKeyField()
