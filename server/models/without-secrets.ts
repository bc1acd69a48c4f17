import { storable, truncate } from '../kit/text.ts'

/** This is longer than what is kept, so that no key is cut before it is found. */
const read_length_max = 4_000
const said_length_max = 400
/** A shorter key is not looked for, because it may be a part of words. */
const own_length_min = 8
const redacted = '[redacted]'
/** Stands for a secret until the end: unlike brackets it can be a part of what patterns find. */
const mark = '\ue000'
/** Matches the key with what servers may add to it. */
const own = /(?<![\w-])[\w-]*\ue000[\w\ue000-]*/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are taken out
const blanks = /[\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g
/** The value after a name, without the end of the sentence. */
const value = String.raw`[^\s"',;()<>[\]{}&${'`'}]*[^\s"',;()<>[\]{}&${'`'}.:!?]`
const named = [
  // A value in a URL, or of a setting.
  new RegExp(String.raw`([?&](?:\w*key|\w*token|sig|signature|password|secret|credential)=)(${value})`, 'gi'),
  new RegExp(
    String.raw`(\b(?:api[-_ ]?key|access[-_ ]?token|auth[-_ ]?token|password|secret)["']?=["']?|"(?:api_?key|access_token|auth_token|password|secret)" ?: ?")(${value})`,
    'gi',
  ),
  /(:\/\/)([^\s/@"'<>]+)(?=@)/g,
]
/** These names are followed by words as well: `Bearer auth`, `password: must be longer`. */
const perhaps_named = [
  new RegExp(String.raw`(\bbearer )(${value})`, 'gi'),
  /(\bbasic )([\w+/]{16,}=*)/gi,
  new RegExp(
    String.raw`(\b(?:api[-_ ]?key|access[-_ ]?token|auth[-_ ]?token|password|secret)(?: provided)?["']? ?[=:] ?["']?)(${value})`,
    'gi',
  ),
  // Keys of model services begin like this.
  /()(\b(?:sk|pk|rk|gsk|hf|xai|pplx|nvapi)[-_][\w*•…-]{3,}(?:\.{3}[\w-]+)?|\b(?:sk|pk|rk|xai)[-_]\w*\.{3}[\w-]+)/gi,
]
/** Matches keys whose middle some servers replace by stars. */
const masked = /(?<![\w*•-])[\w-]*[*•]{3,}[\w-]*/g
const json_web_token = /\beyJ[\w-]+(\.[\w-]+)*/g
const long_run = /[A-Za-z0-9]{20,}|[\w+/=-]{40,}/g
/** Matches what stands before the names of voices, models and requests, which may look like keys. */
const id_before = /\b(voice|model|request)([-_ ]?id)?["'`:=( ]*(req_)?$/i
/** Matches parts of names such as `meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8`. */
const part_of_name = /^([a-z]{0,14}|\d{1,8}[a-z]{0,2}|[a-z]{1,4}\d{1,4}[a-z]?)$/i
/** Matches phone numbers. Errors have none, because they are kept when the contact is deleted. */
const phone_number = /\+\d[\d ().-]{5,}\d|\d{10,}/g

/** Returns one line in which keys and phone numbers are replaced, and all other words stay. */
export function withoutSecrets(text: string, api_key: string): string {
  const line = storable(text.slice(0, read_length_max)).replace(blanks, ' ').trim()
  let said = withoutOwn(line, api_key).replace(own, mark)
  for (const pattern of named) said = said.replace(pattern, `$1${mark}`)
  for (const pattern of perhaps_named)
    said = said.replace(pattern, (all, before: string, value: string) => (isSecret(value) ? `${before}${mark}` : all))
  said = said.replace(masked, (run) => (/\w/.test(run) ? mark : run)).replace(json_web_token, mark)
  // Keys are found first, because one may have as many digits in a row as a phone number.
  said = said.replace(long_run, (run, offset: number) =>
    isKey(run) && !id_before.test(said.slice(Math.max(0, offset - 30), offset)) ? mark : run,
  )
  return truncate(said.replace(phone_number, mark).replaceAll(mark, redacted), said_length_max)
}

function withoutOwn(line: string, api_key: string): string {
  if (api_key === '') return line
  if (api_key.length >= own_length_min) return line.replaceAll(api_key, mark)
  return line.replace(new RegExp(`(?<![A-Za-z0-9])${RegExp.escape(api_key)}(?![A-Za-z0-9])`, 'g'), mark)
}

/** Whether a value is a secret, and not one of the words that may stand in its place. */
const isSecret = (value: string): boolean =>
  /[*•…\ue000]|\.\.|[a-z]\.[a-z]/i.test(value) ||
  (value.length >= 6 && /\d/.test(value)) ||
  (value.length >= 12 && /[a-z][A-Z]/.test(value)) ||
  /[A-Za-z]{20,}/.test(value)

/**
 * Whether a run of characters is a key. Words have no digits. Names of models are shorter, have no capitals, or consist
 * of words and numbers.
 */
function isKey(run: string): boolean {
  if (!/\d/.test(run) || !/[a-z]/i.test(run)) return false
  if (/^[A-Za-z0-9]+$/.test(run)) return true
  return /[A-Z]/.test(run) && !run.split(/[-_+/=]/).every((part) => part_of_name.test(part))
}
