/** The characters of GSM-7, the encoding of plain SMS. Characters of the extension take two places. */
const gsm_basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿' +
    'abcdefghijklmnopqrstuvwxyzäöñüà',
)
const gsm_extension = new Set('\f^{}\\[~]|€')

const gsm_places = { alone: 160, joined: 153 }
const ucs2_places = { alone: 70, joined: 67 }

/** Counts the parts in which carriers send and charge a text. A part never ends within a character. */
export function segmentsOf(text: string): number {
  const characters = [...text]
  const is_gsm = characters.every((character) => gsm_basic.has(character) || gsm_extension.has(character))
  const { alone, joined } = is_gsm ? gsm_places : ucs2_places
  const widths = characters.map((character) => (is_gsm ? (gsm_extension.has(character) ? 2 : 1) : character.length))
  if (widths.reduce((sum, width) => sum + width, 0) <= alone) return 1
  let segments = 1
  let used = 0
  for (const width of widths) {
    if (used + width > joined) {
      segments += 1
      used = 0
    }
    used += width
  }
  return segments
}
