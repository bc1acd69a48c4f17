// The search of /docs. A module of its own, without a build: browsers load this file as it is.

/** @typedef {[title: string, detail: string, url: string, words: string]} Row */

const results_max = 12
const base_path = document.documentElement.dataset.base ?? ''

/** @param {string} selector */
const find = (selector) => {
  const found = document.querySelector(selector)
  if (!(found instanceof HTMLElement)) throw new Error(`${selector} is missing`)
  return found
}
const box = find('.search')
const input = /** @type {HTMLInputElement} */ (find('#search'))
const list = find('#results')
const count = find('#result-count')

/** @type {Promise<Row[]> | undefined} */
let loading
/** The option that Enter opens, or -1. */
let active = -1

const load = () => {
  loading ??= fetch(box.dataset.index ?? '')
    .then((response) => (response.ok ? response.json() : Promise.reject(new Error(`${response.status}`))))
    .catch((error) => {
      // The next focus tries again.
      loading = undefined
      throw error
    })
  return loading
}

/** Words that are not searched for, unless nothing else was typed. */
const short_words = new Set(
  'an and are as at be but by can do for from has have how if in is it its no not of on or so that the then this to was with you your'.split(
    ' ',
  ),
)

/**
 * As the index is split: `Idempotency-Key` are two words.
 * @param {string} text
 */
function split(text) {
  const all = text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
  const some = all.filter((word) => word.length > 1 && !short_words.has(word))
  return some.length > 0 ? some : all
}

/**
 * Guides and recipes come first, of equal results, and the changelog last.
 * @param {string} url
 */
function weightOf(url) {
  if (url.startsWith('/docs/changelog')) return 0.05
  if (url.startsWith('/docs/events#')) return 0.5
  return /^\/docs\/(api|errors|headers)\b/.test(url) ? 1 : 1.1
}

/**
 * Higher is better; 0 if a word is not found. Whole words count more than their beginnings, and those more than parts.
 * @param {Row} row
 * @param {string[]} words
 */
function scoreOf([title, detail, url, text], words) {
  const title_words = split(title)
  const text_words = ` ${text} `
  let score = title_words.join(' ') === words.join(' ') ? 100 : 0
  for (const word of words) {
    if (title_words.includes(word)) score += 20
    else if (title_words.some((one) => one.startsWith(word))) score += 12
    else if (detail.toLowerCase().includes(word)) score += 6
    else if (text_words.includes(` ${word} `)) score += 4
    else if (text_words.includes(` ${word}`)) score += 2
    else if (word.length > 3 && (title.toLowerCase() + text_words).includes(word)) score += 1
    else return 0
  }
  // Between results that are equally good, the shorter title says more of what was typed.
  return score * weightOf(url) + 1 / (title.length + 1)
}

async function search() {
  const typed = input.value
  const words = split(typed)
  if (words.length === 0) return close()
  let rows
  try {
    rows = await load()
  } catch {
    count.textContent = 'The search could not be loaded.'
    return close()
  }
  if (typed !== input.value) return
  const found = rows
    .map((row) => ({ row, score: scoreOf(row, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, results_max)
  list.replaceChildren(...found.map(({ row }, index) => toOption(row, index)))
  count.textContent = found.length === 0 ? 'Nothing found.' : `${found.length} results`
  if (found.length === 0) list.append(Object.assign(document.createElement('p'), { textContent: 'Nothing found.' }))
  list.hidden = false
  input.setAttribute('aria-expanded', String(found.length > 0))
  activate(found.length > 0 ? 0 : -1)
}

/**
 * @param {Row} row
 * @param {number} index
 */
function toOption([title, detail, url], index) {
  const option = document.createElement('a')
  option.id = `result-${index}`
  option.href = base_path + url
  option.tabIndex = -1
  option.role = 'option'
  option.append(title, Object.assign(document.createElement('small'), { textContent: detail }))
  return option
}

/** @param {number} index */
function activate(index) {
  active = index
  const options = [...list.querySelectorAll('a')]
  for (const [at, option] of options.entries()) option.ariaSelected = String(at === index)
  options[index]?.scrollIntoView({ block: 'nearest' })
  if (options[index]) input.setAttribute('aria-activedescendant', `result-${index}`)
  else input.removeAttribute('aria-activedescendant')
}

function close() {
  list.hidden = true
  list.replaceChildren()
  input.setAttribute('aria-expanded', 'false')
  activate(-1)
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  const options = list.querySelectorAll('a')
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step && options.length > 0) activate((active + step + options.length) % options.length)
  else if (event.key === 'Enter' && active >= 0) {
    options[active]?.click()
    close()
    input.blur()
  } else if (event.key === 'Escape' && !list.hidden) close()
  else if (event.key === 'Escape') input.blur()
  else return
  event.preventDefault()
}

input.addEventListener('focus', () => {
  load().catch(() => undefined)
  void search()
})
input.addEventListener('input', () => void search())
input.addEventListener('keydown', onKey)
// A click on a result keeps the focus, so that the list is still there when the button is released.
list.addEventListener('mousedown', (event) => event.preventDefault())
list.addEventListener('click', () => close())
input.addEventListener('blur', () => close())
document.addEventListener('keydown', (event) => {
  const is_typing = event.target instanceof Element && event.target.matches('input, textarea, select')
  if (event.key !== '/' || is_typing || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  input.focus()
  input.select()
})
box.hidden = false
